//! The neural networks: one finds text, two read it. Loaded once a process and shared.
//!
//! They are data of this repository (`models/`, with notice and the script that made them), run by `rten`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rten::{Model, NodeId};
use rten_tensor::{AsView, NdTensor};

use crate::code::ErrorCode;

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

/// The networks of one reader. Cheap to share, costly to load (about 50 ms).
pub struct TextModels {
    pub(super) detector: Network,
    /// Reads every line first.
    pub(super) quick: Alphabet,
    /// Reads again where the quick one is unsure.
    pub(super) careful: Option<Alphabet>,
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
    /// The built-in models, loaded at the first call.
    pub fn shared() -> Result<Arc<Self>, TextError> {
        static SHARED: OnceLock<Result<Arc<TextModels>, TextError>> = OnceLock::new();
        SHARED.get_or_init(|| Self::built_in().map(Arc::new)).clone()
    }

    fn built_in() -> Result<Self, TextError> {
        let loaded = std::thread::scope(|scope| {
            let detector = scope.spawn(|| Network::embedded("detect", DETECTOR));
            let quick = scope.spawn(|| Alphabet::embedded("read-tiny", TINY));
            let careful = Alphabet::embedded("read-small", SMALL);
            (detector.join(), quick.join(), careful)
        });
        let died = |_| TextError::Run("a thread that loads a model died".into());
        let (detector, quick, careful) = loaded;
        Ok(Self { detector: detector.map_err(died)??, quick: quick.map_err(died)??, careful: Some(careful?) })
    }

    /// Other PP-OCR models: ONNX files of a detector and a recogniser, and its characters, one a line
    /// (without the blank, with the space).
    pub fn from_paths(detector: &Path, recogniser: &Path, characters: &Path) -> Result<Self, TextError> {
        let list = fs::read_to_string(characters).map_err(|e| unreadable(characters, e))?;
        Ok(Self {
            detector: Network::file(detector)?,
            quick: Alphabet::new(Network::file(recogniser)?, &list, &recogniser.display().to_string())?,
            careful: None,
        })
    }
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
        let bytes = fs::read(path).map_err(|e| unreadable(path, e))?;
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

fn unreadable(path: &Path, error: std::io::Error) -> TextError {
    TextError::File { path: path.to_owned(), reason: error.to_string() }
}
