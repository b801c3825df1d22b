//! The instruction sets that the pixel loops are compiled for, and the choice among them.
//!
//! Each loop is written once, over blocks of fixed size that the compiler turns into vector code, and is compiled
//! once for each set. Uses nothing of this crate.

/// A set of instructions that this processor has. Values come from [`Kernel::best`] and [`Kernel::available`]
/// only, so that holding one is proof that its instructions may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// those of other processors are never made
#[allow(dead_code)]
pub(in crate::vision) enum Set {
    Avx512,
    Avx2,
    Neon,
    Scalar,
}

impl Kernel {
    /// The fastest that this processor has.
    pub fn best() -> Self {
        static BEST: std::sync::OnceLock<Kernel> = std::sync::OnceLock::new();
        *BEST.get_or_init(|| Self::available()[0])
    }

    /// All that this processor has, fastest first; the last is plain code.
    pub fn available() -> Vec<Self> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            if avx2 && avx512 {
                sets.push(Kernel(Set::Avx512));
            }
            if avx2 {
                sets.push(Kernel(Set::Avx2));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            sets.push(Kernel(Set::Neon));
        }
        sets.push(Kernel(Set::Scalar));
        sets
    }

    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Avx512 => "avx512",
            Set::Avx2 => "avx2",
            Set::Neon => "neon",
            Set::Scalar => "scalar",
        }
    }
}

/// Compiles `body` for every set: `fn name(kernel, arguments…)`. `body` takes a const bool first: whether
/// multiplying and adding in one instruction is to be had.
macro_rules! compiled_for_every_kernel {
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:ident) => {
        $(#[$doc])*
        #[inline]
        $vis fn $name(kernel: $crate::vision::ssim::Kernel, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
            fn avx512($($arg: $ty),*) $(-> $ret)? {
                $body::<true>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2($($arg: $ty),*) $(-> $ret)? {
                $body::<true>($($arg),*)
            }
            #[cfg(target_arch = "aarch64")]
            #[target_feature(enable = "neon")]
            fn neon($($arg: $ty),*) $(-> $ret)? {
                $body::<true>($($arg),*)
            }
            match kernel.set() {
                // SAFETY: a `Kernel` of this set exists only where `Kernel::available` saw its features.
                #[cfg(target_arch = "x86_64")]
                $crate::vision::ssim::Set::Avx512 => unsafe { avx512($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::vision::ssim::Set::Avx2 => unsafe { avx2($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "aarch64")]
                $crate::vision::ssim::Set::Neon => unsafe { neon($($arg),*) },
                _ => $body::<false>($($arg),*),
            }
        }
    };
}
pub(in crate::vision) use compiled_for_every_kernel;

impl Kernel {
    pub(in crate::vision) fn set(self) -> Set {
        self.0
    }
}
