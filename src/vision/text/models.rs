//! The neural networks: one finds text, two read it. Loaded once a process and shared.
//!
//! They are data of this repository (`models/`, with notice and the script that made them), run by `rten`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread::ScopedJoinHandle;

use rten::{Model, NodeId};
use rten_tensor::{AsView, NdTensor};

use super::ocrs::OcrsModels;
use crate::code::ErrorCode;

/// The folder of other models that this process was told to read with.
static CHOSEN: OnceLock<PathBuf> = OnceLock::new();

const DETECTOR: &[u8] = include_bytes!("models/detect.onnx");
const TINY: (&[u8], &str) = (include_bytes!("models/read-tiny.onnx"), include_str!("models/read-tiny.txt"));
const SMALL: (&[u8], &str) =
    (include_bytes!("models/read-small.onnx"), include_str!("models/read-small.txt"));

/// Why text could not be read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TextError {
    #[error("the text model {path} can't be read: {reason}", path = path.display())]
    File { path: PathBuf, reason: String },
    #[error("the text model {model} is not one this reader understands: {reason}")]
    Model { model: String, reason: String },
    #[error("reading text failed: {0}")]
    Run(String),
}

impl TextError {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::File { .. } | Self::Model { .. } => ErrorCode::InvalidArgument,
            Self::Run(_) => ErrorCode::Internal,
        }
    }
}

/// The networks of one reader. Cheap to share, costly to load (about 30 ms, the largest one beside what follows).
pub struct TextModels(pub(super) Engine);

pub(super) enum Engine {
    Cascade(Box<Cascade>),
    Ocrs(OcrsModels),
}

/// PP-OCR networks, run by this crate.
pub(super) struct Cascade {
    pub(super) detector: Network,
    /// Reads every line first.
    pub(super) quick: Alphabet,
    /// Reads again where the quick one is unsure.
    pub(super) careful: Option<Careful>,
}

/// The careful network: the largest, and the last that is needed, if at all.
pub(super) struct Careful(Arc<OnceLock<Result<Alphabet, TextError>>>);

impl Careful {
    /// Begins to load it.
    fn begin() -> Self {
        let alphabet = Arc::new(OnceLock::new());
        let loading = alphabet.clone();
        let load = move || {
            loading.get_or_init(Self::load);
        };
        // where no thread is to be had, who asks first loads it
        let _ = std::thread::Builder::new().name("load-text-model".into()).spawn(load);
        Self(alphabet)
    }

    fn load() -> Result<Alphabet, TextError> {
        in_own_thread(|| Alphabet::embedded("read-small", SMALL))
    }

    /// The network, as soon as it is loaded.
    pub(super) fn get(&self) -> Result<&Alphabet, TextError> {
        self.0.get_or_init(Self::load).as_ref().map_err(Clone::clone)
    }
}

/// A network that reads lines, and the characters it knows.
pub(super) struct Alphabet {
    pub(super) network: Network,
    /// Characters by class; class 0 is the blank and stands here as an empty string.
    pub(super) characters: Vec<String>,
    /// Outputs of the split head (see `models/make.py`), else `None`: one output with all classes.
    pub(super) split: Option<SplitHead>,
}

/// The last matrix in two halves: Latin script, and everything.
pub(super) struct SplitHead {
    pub(super) features: NodeId,
    pub(super) latin: NodeId,
    pub(super) all: NodeId,
}

pub(super) struct Network {
    model: Model,
    pub(super) input: NodeId,
    pub(super) output: NodeId,
}

impl TextModels {
    /// The models of this process, loaded at the first call: those that were chosen, else the built-in ones.
    ///
    /// # Errors
    /// The chosen folder holds no models, or none that this reader understands.
    pub fn shared() -> Result<Arc<Self>, TextError> {
        static SHARED: OnceLock<Result<Arc<TextModels>, TextError>> = OnceLock::new();
        let load = || match CHOSEN.get() {
            Some(folder) => Self::in_folder(folder),
            None => Self::built_in(),
        };
        SHARED.get_or_init(|| in_own_thread(load).map(Arc::new)).clone()
    }

    /// Names the folder whose models this process reads with; the first choice holds.
    pub fn choose(folder: PathBuf) {
        CHOSEN.get_or_init(|| folder);
    }

    /// The models in a folder, told by the names of its files: `text-detection` and `text-recognition` (`.rten` or
    /// `.onnx`, perhaps with `alphabet.txt`) for `ocrs`; `detect.onnx`, `read.onnx` and `read.txt` for PP-OCR.
    ///
    /// # Errors
    /// Neither is there, or a file is no such model.
    pub fn in_folder(folder: &Path) -> Result<Self, TextError> {
        let file = |stem: &str| {
            let named = ["rten", "onnx"].map(|kind| folder.join(format!("{stem}.{kind}")));
            named.into_iter().find(|path| path.is_file())
        };
        if let (Some(detector), Some(recogniser)) = (file("text-detection"), file("text-recognition")) {
            let alphabet = folder.join("alphabet.txt");
            let alphabet = alphabet.is_file().then(|| fs::read_to_string(&alphabet)).transpose();
            let alphabet = alphabet.map_err(|e| unreadable(&folder.join("alphabet.txt"), &e))?;
            let alphabet = alphabet.map(|characters| characters.trim_end_matches(['\r', '\n']).to_owned());
            return Ok(Self(Engine::Ocrs(OcrsModels::load(&detector, &recogniser, alphabet)?)));
        }
        if let (Some(detector), Some(recogniser)) = (file("detect"), file("read")) {
            return Self::from_paths(&detector, &recogniser, &folder.join("read.txt"));
        }
        Err(TextError::File {
            path: folder.to_owned(),
            reason:
                "it holds neither text-detection and text-recognition (ocrs) nor detect and read (PP-OCR)"
                    .into(),
        })
    }

    fn built_in() -> Result<Self, TextError> {
        let (detector, quick) = std::thread::scope(|scope| {
            let detector = scope.spawn(|| Network::embedded("detect", DETECTOR));
            let quick = Alphabet::embedded("read-tiny", TINY);
            (joined(detector), quick)
        });
        Ok(Self(Engine::Cascade(Box::new(Cascade {
            detector: detector?,
            quick: quick?,
            careful: Some(Careful::begin()),
        }))))
    }

    /// Other PP-OCR models: ONNX files of a detector and a recogniser, and its characters, one a line
    /// (without the blank, with the space).
    ///
    /// # Errors
    /// A file is missing, or no such model.
    pub fn from_paths(detector: &Path, recogniser: &Path, characters: &Path) -> Result<Self, TextError> {
        let list = fs::read_to_string(characters).map_err(|e| unreadable(characters, &e))?;
        Ok(Self(Engine::Cascade(Box::new(Cascade {
            detector: Network::file(detector)?,
            quick: Alphabet::new(Network::file(recogniser)?, &list, &recogniser.display().to_string())?,
            careful: None,
        }))))
    }
}

/// Loads in a thread of its own. One of rayon's takes up other work while the loader waits for the threads it loads
/// with, and that work might ask for the very models that are being loaded.
fn in_own_thread<T: Send>(load: impl FnOnce() -> Result<T, TextError> + Send) -> Result<T, TextError> {
    std::thread::scope(|scope| joined(scope.spawn(load)))
}

fn joined<T>(loading: ScopedJoinHandle<'_, Result<T, TextError>>) -> Result<T, TextError> {
    loading.join().unwrap_or_else(|_| Err(TextError::Run("a thread that loads a model died".into())))
}

impl Alphabet {
    fn embedded(name: &str, (model, characters): (&'static [u8], &str)) -> Result<Self, TextError> {
        Self::new(Network::embedded(name, model)?, characters, name)
    }

    fn new(network: Network, characters: &str, name: &str) -> Result<Self, TextError> {
        let node = |output: &str| network.model.find_node(output);
        let split = match (node("features"), node("latin"), node("all")) {
            (Some(features), Some(latin), Some(all)) => Some(SplitHead { features, latin, all }),
            _ => None,
        };
        let characters: Vec<String> =
            std::iter::once("").chain(characters.lines()).map(str::to_owned).collect();
        if characters.len() < 2 {
            return Err(TextError::Model {
                model: name.into(),
                reason: "its list of characters is empty".into(),
            });
        }
        Ok(Self { network, characters, split })
    }
}

impl Network {
    fn embedded(name: &str, bytes: &'static [u8]) -> Result<Self, TextError> {
        Self::new(name, Model::load_static_slice(bytes))
    }

    fn file(path: &Path) -> Result<Self, TextError> {
        let bytes = fs::read(path).map_err(|e| unreadable(path, &e))?;
        Self::new(&path.display().to_string(), Model::load(bytes))
    }

    fn new(name: &str, loaded: Result<Model, rten::LoadError>) -> Result<Self, TextError> {
        let refused = |reason: String| TextError::Model { model: name.into(), reason };
        let model = loaded.map_err(|e| refused(e.to_string()))?;
        match (model.input_ids(), model.output_ids()) {
            (&[input], &[output, ..]) => Ok(Self { input, output, model }),
            _ => Err(refused("it must have one input and an output".into())),
        }
    }

    /// Runs the network from `input` to `output`.
    pub(super) fn run<const I: usize, const O: usize>(
        &self,
        input: (NodeId, &NdTensor<f32, I>),
        output: NodeId,
    ) -> Result<NdTensor<f32, O>, TextError> {
        let [value] = self
            .model
            .run_n(vec![(input.0, input.1.view().into())], [output], None)
            .map_err(|e| TextError::Run(e.to_string()))?;
        value.try_into().map_err(|e: rten::TryFromValueError| TextError::Run(e.to_string()))
    }
}

pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> TextError {
    TextError::File { path: path.to_owned(), reason: error.to_string() }
}
