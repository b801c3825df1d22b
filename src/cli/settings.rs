//! What most commands can be told, over what the environment and the files say. Uses `config` and `operation`.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::config::{Config, Flag};
use crate::device::Driver;
use crate::operation::{Context, OperationError};
use crate::policy::{Policy, PolicyOptions, Said};
use crate::recording::{Project, Store};
use crate::vision::text::TextModels;

/// What the MCP server and most commands can be told.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Settings {
    /// Folder of recordings [default: that of simdrive.toml, else SIMDRIVE_HOME/recordings]
    #[arg(long, value_name = "DIR")]
    pub recordings: Option<PathBuf>,
    /// Device of sessions that name none, such as sim:demo
    #[arg(long, value_name = "SELECTOR")]
    pub device: Option<String>,
    /// Who drives simulators of this Mac: a companion that is kept running, or the idb command
    #[arg(long, value_name = "DRIVER", value_enum)]
    pub driver: Option<Driver>,
    /// JSON file: what the session of a WebDriver server is to be capable of
    #[arg(long, value_name = "FILE")]
    pub capabilities: Option<PathBuf>,
    /// Folder of other text models, of ocrs or PP-OCR [default: that of simdrive.toml, else the built-in ones]
    #[arg(long, value_name = "DIR")]
    pub text_model: Option<PathBuf>,
}

impl Settings {
    /// What operations work on.
    ///
    /// # Errors
    /// What is said somewhere is not as it must be.
    pub fn context(self) -> Result<Context, OperationError> {
        Ok(context(&self.config(Vec::new())?))
    }

    /// Everything that is said, these flags and `more` last.
    ///
    /// # Errors
    /// What is said somewhere is not as it must be.
    pub fn config(self, more: Vec<Flag>) -> Result<Config, OperationError> {
        let path = |path: PathBuf| json!(path);
        let given = Flag::given([
            ("recordings", "--recordings", self.recordings.map(path)),
            ("device", "--device", self.device.map(Value::from)),
            ("driver", "--driver", self.driver.map(|driver| json!(driver))),
            ("capabilities", "--capabilities", self.capabilities.map(path)),
            ("text_model", "--text-model", self.text_model.map(path)),
        ]);
        Ok(Config::load(&given.chain(more).collect::<Vec<_>>())?)
    }
}

/// What operations of the user work on; text is read with the models that are chosen from here on.
pub fn context(config: &Config) -> Context {
    let values = &config.values;
    if let Some(folder) = &values.text_model {
        TextModels::choose(folder.clone());
    }
    let context = Context::new(Store::at(config.recordings()), values.device.clone());
    let policy = PolicyOptions { url_schemes: url_schemes(config), ..PolicyOptions::default() };
    Context {
        driver: values.driver.unwrap_or_default(),
        companion: values.companion.clone(),
        capabilities: values.capabilities.clone(),
        project: project(config),
        policy: Policy::new(policy).into(),
        ..context
    }
}

/// What holds for every recording that says nothing else.
pub fn project(config: &Config) -> Project {
    Project { gate: config.values.gate, masks: config.values.masks.clone() }
}

/// The schemes that alone may be opened, where they are named.
pub fn url_schemes(config: &Config) -> Option<Said<Vec<String>>> {
    let value = config.values.url_schemes.clone()?;
    Some(Said { value, by: config.origin("url_schemes").to_string() })
}
