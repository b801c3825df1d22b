//! One sound recording, made by the recorder itself on the embedded simulator, and ways to spoil copies of it.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, LazyLock};

use image::{ImageFormat, RgbaImage};
use simdrive::act::action::Condition;
use simdrive::act::{Action, Target};
use simdrive::frame::Frame;
use simdrive::observe::ObserveOptions;
use simdrive::recording::{FrameFolder, RecordOptions, Recording, Store};
use simdrive::session::{Session, SessionStart};

const APP: &str = "
name: Kiosk
bundle: com.example.kiosk
start: home
screens:
  home:
    title: Kiosk
    body:
      - text: {text: Welcome to the kiosk}
      - button: {label: Continue, id: continue, do: [{navigate: next}]}
      - button: {label: More}
      - button: {label: More}
  next:
    title: Next
    body:
      - text: {text: WORDS}
";

/// Made once for all tests.
static SOUND: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    alone(record(dir.path()));
    dir
});

/// Runs something outside of the runtime of a test.
fn alone<T: Send>(work: impl Future<Output = T> + Send) -> T {
    std::thread::scope(|scope| {
        let work = scope.spawn(|| tokio::runtime::Runtime::new().unwrap().block_on(work));
        work.join().unwrap()
    })
}

async fn open(dir: &Path, words: &str, start: &str) -> Arc<Session> {
    let file = dir.join("kiosk.yaml");
    let app = APP.replace("WORDS", &format!("{words:?}")).replace("start: home", &format!("start: {start}"));
    std::fs::write(&file, app).unwrap();
    let selector = format!("sim:{}?clock=2026-01-01T09:41:00Z", file.display());
    Session::start(SessionStart::new(selector.parse().unwrap())).await.unwrap()
}

async fn record(dir: &Path) {
    let session = open(dir, "Nothing to see", "home").await;
    let options = RecordOptions { name: "sound".into(), ..RecordOptions::default() };
    session.start_recording(&Store::at(dir), options).await.unwrap();
    let target = Target::Label { label: "Continue".into(), role: None, nth: None, near: None };
    session.act(Action::Tap { target, count: 1, hold_ms: 0 }).await.unwrap();
    let condition = Condition { label: Some("Nothing to see".into()), ..Condition::default() };
    session.act(Action::WaitFor { condition, timeout_ms: 5_000 }).await.unwrap();
    session.end(true).await.unwrap();
    // where the file of the app lay says nothing of the recording
    let file = dir.join("sound/recording.yaml");
    let yaml = std::fs::read_to_string(&file).unwrap();
    let selector = yaml.lines().find(|line| line.starts_with("device:")).unwrap();
    let (before, behind) = selector.split_once("sim:").unwrap();
    let behind = &behind[behind.find(", kind").unwrap()..];
    let before = before.trim_end_matches('"');
    std::fs::write(&file, yaml.replace(selector, &format!("{before}sim:kiosk{behind}"))).unwrap();
}

/// A screen that shows these words.
pub fn screen_with(words: &str) -> Frame {
    let dir = tempfile::tempdir().unwrap();
    alone(async {
        let session = open(dir.path(), words, "next").await;
        let seen = session.observe(&ObserveOptions::default()).await.unwrap();
        session.end(true).await.unwrap();
        seen.frame.clone()
    })
}

/// A copy of the sound recording, in a folder of recordings of its own.
pub struct Copy {
    home: tempfile::TempDir,
    pub folder: PathBuf,
}

impl Copy {
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let copy = Self { folder: home.path().join("recordings/sound"), home };
        copy_folder(&SOUND.path().join("sound"), &copy.folder);
        copy
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    pub fn root(&self) -> PathBuf {
        self.home().join("recordings")
    }

    /// Another one beside it.
    pub fn another(&self, name: &str) -> PathBuf {
        let folder = self.root().join(name);
        copy_folder(&self.folder, &folder);
        let file = folder.join("recording.yaml");
        let yaml = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, yaml.replace("name: sound", &format!("name: {name}"))).unwrap();
        folder
    }

    pub fn file(&self) -> PathBuf {
        self.folder.join("recording.yaml")
    }

    pub fn yaml(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }

    pub fn recording(&self) -> Recording {
        Recording::read(&self.file()).unwrap()
    }

    /// The names of the first and of the last frame.
    pub fn frames(&self) -> [String; 2] {
        let steps = self.recording().steps;
        let name = |frame: &Option<simdrive::recording::FrameName>| frame.as_ref().unwrap().to_string();
        [name(&steps[0].before), name(&steps[1].after)]
    }

    pub fn frame_file(&self, name: &str) -> PathBuf {
        self.folder.join("frames").join(format!("{name}.png"))
    }

    /// Every line of the file that holds `from` with `to` in its place.
    pub fn edit(&self, from: &str, to: &str) {
        let yaml = self.yaml();
        assert!(yaml.contains(from), "{from} is not in\n{yaml}");
        std::fs::write(self.file(), yaml.replace(from, to)).unwrap();
    }

    /// One more key of the whole recording.
    pub fn top(&self, lines: &str) {
        self.edit("steps:\n", &format!("{lines}\nsteps:\n"));
    }

    /// One more step on the last screen.
    pub fn step(&self, lines: &str) {
        let [_, last] = self.frames();
        let text = format!(
            "{}  - {}\n    before: \"{last}\"\n    after: \"{last}\"\n    settled_ms: 80\n",
            self.yaml(),
            lines.replace('\n', "\n    ")
        );
        std::fs::write(self.file(), text).unwrap();
    }

    /// Another file in the place of a frame, under its own digest.
    pub fn swap(&self, old: &str, png: &[u8]) -> String {
        use sha2::Digest;
        let name = simdrive::frame::hex(&sha2::Sha256::digest(png)[..8]);
        std::fs::remove_file(self.frame_file(old)).unwrap();
        std::fs::write(self.frame_file(&name), png).unwrap();
        let yaml = self.yaml().replace(&format!("\"{old}\""), old);
        std::fs::write(self.file(), yaml.replace(old, &format!("\"{name}\""))).unwrap();
        name
    }

    /// Another picture on the last screen.
    pub fn show(&self, frame: &Frame) {
        let [_, last] = self.frames();
        self.swap(&last, &frame.to_png());
    }

    /// The pixels of the last screen.
    pub fn pixels(&self) -> RgbaImage {
        let [_, last] = self.frames();
        image::open(self.frame_file(&last)).unwrap().into_rgba8()
    }

    pub fn add_frame(&self, frame: &Frame) -> String {
        FrameFolder::of(&self.folder).put(frame, &[]).unwrap().to_string()
    }

    pub fn simdrive(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_simdrive"))
            .args(arguments)
            .env("SIMDRIVE_HOME", self.home())
            .current_dir(self.home())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }
}

/// The box of the ink of the clock, at the top left.
pub fn clock_of(pixels: &RgbaImage) -> RgbaImage {
    let ground = *pixels.get_pixel(4, 4);
    let ink = |x: u32, y: u32| pixels.get_pixel(x, y) != &ground;
    let all: Vec<(u32, u32)> =
        (20..150).flat_map(|y| (20..400).map(move |x| (x, y))).filter(|(x, y)| ink(*x, *y)).collect();
    let (left, right) = (all.iter().map(|p| p.0).min().unwrap(), all.iter().map(|p| p.0).max().unwrap());
    let (top, bottom) = (all.iter().map(|p| p.1).min().unwrap(), all.iter().map(|p| p.1).max().unwrap());
    image::imageops::crop_imm(pixels, left, top, right - left + 1, bottom - top + 1).to_image()
}

pub fn png_of(pixels: &RgbaImage) -> Vec<u8> {
    let mut png = Cursor::new(Vec::new());
    image::DynamicImage::from(pixels.clone()).into_rgb8().write_to(&mut png, ImageFormat::Png).unwrap();
    png.into_inner()
}

pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Every file below, with its bytes.
pub fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            files.extend(tree(&path));
        } else {
            files.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}
