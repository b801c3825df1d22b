//! The companion's calls, answered by the embedded simulator. Uses the rest of this folder.
//!
//! A refusal of the simulator is INTERNAL with its message, as companions report what a framework refuses;
//! bad values are INVALID_ARGUMENT. Calls that are not here answer UNIMPLEMENTED by themselves.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tonic::{Request, Response, Status, Streaming};

use crate::device::Launch;
use crate::device::idb::protocol::companion as wire;
use crate::device::idb::protocol::companion::accessibility_info_request::Format;
use crate::device::idb::protocol::companion::companion_service_server::CompanionService;
use crate::geometry::Orientation;
use crate::sim::companion::live::Live;
use crate::sim::companion::stream::{LaunchStream, LogStream};
use crate::sim::companion::{accessibility, crash, install, stream, touch};
use crate::sim::{SimError, Simulator};

/// The companion service over one simulator.
#[derive(Clone)]
pub struct Companion {
    live: Arc<Live>,
    udid: String,
}

const NO_CONTACTS: &str = "the embedded simulator has no contacts";

type Answer<T> = Result<Response<T>, Status>;

impl Companion {
    pub fn new(live: Arc<Live>, udid: String) -> Self {
        Self { live, udid }
    }

    /// The simulator, once the answer has taken as long as it is to take.
    async fn arrive(&self) -> &Arc<Live> {
        self.live.delay_answer().await;
        &self.live
    }

    /// Does one thing to the simulator and answers with nothing.
    async fn order<T: Default>(&self, f: impl FnOnce(&mut Simulator) -> Result<(), SimError>) -> Answer<T> {
        self.arrive().await.with(f).map_err(refused)?;
        Ok(Response::new(T::default()))
    }

    fn info(&self, is_local: bool) -> wire::CompanionInfo {
        wire::CompanionInfo { udid: self.udid.clone(), is_local, ..Default::default() }
    }
}

/// A message travels in a header, which may not be long.
const LONGEST_MESSAGE: usize = 2_000;

/// What a companion says of whatever its frameworks refuse.
pub fn refused(error: SimError) -> Status {
    let message: String = error.to_string().chars().take(LONGEST_MESSAGE).collect();
    match error {
        SimError::InvalidArgument(_) | SimError::UnknownPermission { .. } => {
            Status::invalid_argument(message)
        }
        _ => Status::internal(message),
    }
}

#[tonic::async_trait]
impl CompanionService for Companion {
    async fn connect(&self, request: Request<wire::ConnectRequest>) -> Answer<wire::ConnectResponse> {
        self.arrive().await;
        let shared = request.into_inner().local_file_path;
        let is_local = !shared.is_empty() && Path::new(&shared).exists();
        Ok(Response::new(wire::ConnectResponse { companion: Some(self.info(is_local)) }))
    }

    async fn describe(
        &self,
        request: Request<wire::TargetDescriptionRequest>,
    ) -> Answer<wire::TargetDescriptionResponse> {
        let profile = self.arrive().await.with(|s| s.options().profile);
        let diagnostics = if request.into_inner().fetch_diagnostics {
            json!({"simulator": "simdrive", "version": env!("CARGO_PKG_VERSION")}).to_string().into_bytes()
        } else {
            Vec::new()
        };
        let description = wire::TargetDescription {
            udid: self.udid.clone(),
            name: profile.model.to_owned(),
            screen_dimensions: Some(wire::ScreenDimensions {
                width: profile.pixels.width.into(),
                height: profile.pixels.height.into(),
                density: density(profile.pixels.width, profile.panel.width),
                width_points: profile.panel.width as u64,
                height_points: profile.panel.height as u64,
            }),
            state: "Booted".to_owned(),
            target_type: "simulator".to_owned(),
            os_version: profile.os.to_owned(),
            architecture: "arm64".to_owned(),
            extended: json!({"model": profile.model, "device": profile.name}).to_string().into_bytes(),
            diagnostics,
        };
        Ok(Response::new(wire::TargetDescriptionResponse {
            target_description: Some(description),
            companion: Some(self.info(true)),
        }))
    }

    async fn screenshot(
        &self,
        request: Request<wire::ScreenshotRequest>,
    ) -> Answer<wire::ScreenshotResponse> {
        let live = Arc::clone(self.arrive().await);
        let draw = move || {
            let density = live.with(|s| {
                let profile = s.options().profile;
                density(profile.pixels.width, profile.panel.width)
            });
            live.picture().answer(&request.into_inner(), density)
        };
        // drawing and encoding take tens of milliseconds
        let drawn = tokio::task::spawn_blocking(draw).await;
        drawn.map_err(|_| Status::internal("the screen can't be drawn"))?.map(Response::new)
    }

    async fn accessibility_info(
        &self,
        request: Request<wire::AccessibilityInfoRequest>,
    ) -> Answer<wire::AccessibilityInfoResponse> {
        let request = request.into_inner();
        let format = Format::try_from(request.format)
            .map_err(|_| Status::invalid_argument(format!("unknown format {}", request.format)))?;
        let at = request.point.map(|point| touch::panel_point(Some(point))).transpose()?;
        let live = self.arrive().await;
        let (root, size, at) = live.with(|simulator| {
            // an app that tells nothing still is an application
            let root = simulator.accessibility().unwrap_or_else(|| simulator.application_node());
            (root, simulator.screen().points, at.map(|at| simulator.to_interface(at)))
        });
        let tree = match at {
            None => accessibility::screen(&root, format, size),
            Some(at) => accessibility::element_at(&root, at, format, size),
        };
        Ok(Response::new(wire::AccessibilityInfoResponse { json: tree.to_string() }))
    }

    async fn hid(&self, request: Request<Streaming<wire::HidEvent>>) -> Answer<wire::HidResponse> {
        let live = self.arrive().await;
        let mut events = request.into_inner();
        while let Some(event) = events.message().await? {
            touch::run(live, event).await?;
        }
        Ok(Response::new(wire::HidResponse {}))
    }

    async fn get_orientation(
        &self,
        _: Request<wire::GetOrientationRequest>,
    ) -> Answer<wire::GetOrientationResponse> {
        use wire::get_orientation_response::Physical;
        // the device is held the other way round than its interface turns
        let held = match self.arrive().await.with(|s| s.orientation()) {
            Orientation::Portrait => Physical::Portrait,
            Orientation::PortraitUpsideDown => Physical::PortraitUpsideDown,
            Orientation::LandscapeLeft => Physical::LandscapeRight,
            Orientation::LandscapeRight => Physical::LandscapeLeft,
        };
        Ok(Response::new(wire::GetOrientationResponse { orientation: held.into() }))
    }

    async fn set_orientation(
        &self,
        request: Request<wire::SetOrientationRequest>,
    ) -> Answer<wire::SetOrientationResponse> {
        let orientation = touch::held_orientation(request.into_inner().orientation)?;
        self.arrive().await.with(|s| s.set_orientation(orientation));
        Ok(Response::new(wire::SetOrientationResponse {}))
    }

    async fn focus(&self, _: Request<wire::FocusRequest>) -> Answer<wire::FocusResponse> {
        self.arrive().await.with(|s| s.focus());
        Ok(Response::new(wire::FocusResponse {}))
    }

    async fn list_apps(&self, request: Request<wire::ListAppsRequest>) -> Answer<wire::ListAppsResponse> {
        use wire::installed_app_info::ProcessState;
        let told = !request.into_inner().suppress_process_state;
        let apps = self.arrive().await.with(|s| s.apps());
        let info = |app: crate::device::AppInfo| {
            let pid = app.pid.filter(|_| told).unwrap_or(0);
            // of an app without a process a companion says unknown
            let state = if pid > 0 { ProcessState::Running } else { ProcessState::Unknown };
            wire::InstalledAppInfo {
                bundle_id: app.bundle_id,
                name: app.name,
                architectures: vec!["arm64".to_owned()],
                install_type: app.install_type,
                process_state: state.into(),
                debuggable: false,
                process_identifier: pid,
            }
        };
        Ok(Response::new(wire::ListAppsResponse { apps: apps.into_iter().map(info).collect() }))
    }

    type launchStream = LaunchStream;

    async fn launch(&self, request: Request<Streaming<wire::LaunchRequest>>) -> Answer<LaunchStream> {
        use wire::launch_request::Control;
        let mut requests = request.into_inner();
        let first = requests.message().await?.and_then(|request| request.control);
        let Some(Control::Start(start)) = first else {
            return Err(Status::failed_precondition("the first request of a launch must be its start"));
        };
        if start.wait_for_debugger {
            return Err(Status::unimplemented("the embedded simulator has no debugger"));
        }
        let live = self.arrive().await;
        let launch = Launch {
            bundle_id: start.bundle_id,
            arguments: start.app_args,
            environment: start.env.into_iter().collect(),
            foreground_if_running: start.foreground_if_running,
        };
        let pid = live.with(|simulator| {
            let bundle = &launch.bundle_id;
            let running =
                simulator.apps().into_iter().find(|app| &app.bundle_id == bundle).and_then(|a| a.pid);
            match running {
                Some(pid) if !launch.foreground_if_running => Err(Status::internal(format!(
                    "App '{bundle}' can't be launched as it is already running (PID={pid})"
                ))),
                _ => simulator.launch(&launch).map_err(refused),
            }
        })?;
        let output = start.wait_for.then_some(requests);
        Ok(Response::new(stream::launched(Arc::clone(live), launch.bundle_id, pid, output)))
    }

    async fn terminate(&self, request: Request<wire::TerminateRequest>) -> Answer<wire::TerminateResponse> {
        let bundle = request.into_inner().bundle_id;
        self.arrive().await.with(|simulator| {
            let runs = simulator.apps().iter().any(|app| app.bundle_id == bundle && app.pid.is_some());
            // the simulator takes it lightly, a companion doesn't
            simulator.terminate(&bundle).map_err(refused)?;
            if runs { Ok(()) } else { Err(Status::internal(format!("App '{bundle}' is not running"))) }
        })?;
        Ok(Response::new(wire::TerminateResponse {}))
    }

    type installStream = tokio_stream::Once<Result<wire::InstallResponse, Status>>;

    async fn install(
        &self,
        request: Request<Streaming<wire::InstallRequest>>,
    ) -> Answer<Self::installStream> {
        let app = install::receive(request.into_inner()).await?;
        let name = self.arrive().await.with(|s| s.install(app));
        let installed = wire::InstallResponse { uuid: self.udid.clone(), name, progress: 0.0 };
        Ok(Response::new(tokio_stream::once(Ok(installed))))
    }

    async fn uninstall(&self, request: Request<wire::UninstallRequest>) -> Answer<wire::UninstallResponse> {
        self.order(|s| s.uninstall(&request.into_inner().bundle_id)).await
    }

    async fn approve(&self, request: Request<wire::ApproveRequest>) -> Answer<wire::ApproveResponse> {
        let wire::ApproveRequest { bundle_id, permissions, scheme } = request.into_inner();
        self.order_permissions(&bundle_id, &permissions, &scheme, true).await?;
        Ok(Response::new(wire::ApproveResponse {}))
    }

    async fn revoke(&self, request: Request<wire::RevokeRequest>) -> Answer<wire::RevokeResponse> {
        let wire::RevokeRequest { bundle_id, permissions, scheme } = request.into_inner();
        self.order_permissions(&bundle_id, &permissions, &scheme, false).await?;
        Ok(Response::new(wire::RevokeResponse {}))
    }

    async fn open_url(&self, request: Request<wire::OpenUrlRequest>) -> Answer<wire::OpenUrlRequest> {
        self.order(|s| s.open_url(&request.into_inner().url)).await
    }

    async fn send_notification(
        &self,
        request: Request<wire::SendNotificationRequest>,
    ) -> Answer<wire::SendNotificationResponse> {
        let request = request.into_inner();
        self.order(|s| s.send_notification(&request.bundle_id, &request.json_payload)).await
    }

    type logStream = LogStream;

    async fn log(&self, request: Request<wire::LogRequest>) -> Answer<LogStream> {
        if request.get_ref().source() == wire::log_request::Source::Companion {
            return Err(Status::unimplemented("the embedded simulator's own log goes to its standard error"));
        }
        let live = Arc::clone(self.arrive().await);
        let process = stream::wanted_process(&request.into_inner().arguments)?;
        Ok(Response::new(stream::log(live, process)))
    }

    async fn crash_list(&self, request: Request<wire::CrashLogQuery>) -> Answer<wire::CrashLogResponse> {
        let query = request.into_inner();
        let list = self.arrive().await.with(|s| crash::matching(s, &query));
        Ok(Response::new(wire::CrashLogResponse { list }))
    }

    async fn crash_delete(&self, request: Request<wire::CrashLogQuery>) -> Answer<wire::CrashLogResponse> {
        let query = request.into_inner();
        let list = self.arrive().await.with(|simulator| {
            let list = crash::matching(simulator, &query);
            list.iter().try_for_each(|c| simulator.delete_crash(&c.name)).map(|()| list)
        });
        Ok(Response::new(wire::CrashLogResponse { list: list.map_err(refused)? }))
    }

    async fn crash_show(&self, request: Request<wire::CrashShowRequest>) -> Answer<wire::CrashShowResponse> {
        let name = request.into_inner().name;
        self.arrive().await.with(|s| crash::show(s, &name)).map(Response::new)
    }

    async fn setting(&self, request: Request<wire::SettingRequest>) -> Answer<wire::SettingResponse> {
        use wire::setting_request::Setting;
        let setting = request.into_inner().setting;
        let setting = setting.ok_or_else(|| Status::invalid_argument("no setting is named"))?;
        self.arrive().await.with(|simulator| match setting {
            Setting::HardwareKeyboard(keyboard) => {
                simulator.set_setting(HARDWARE_KEYBOARD, if keyboard.enabled { "1" } else { "0" });
            }
            Setting::StringSetting(s) if s.setting() == wire::Setting::Locale => {
                simulator.set_locale(&s.value);
            }
            Setting::StringSetting(s) => simulator.set_setting(&setting_key(&s.domain, &s.name), &s.value),
        });
        Ok(Response::new(wire::SettingResponse {}))
    }

    async fn get_setting(
        &self,
        request: Request<wire::GetSettingRequest>,
    ) -> Answer<wire::GetSettingResponse> {
        let request = request.into_inner();
        let value = self.arrive().await.with(|simulator| match request.setting() {
            wire::Setting::Locale => simulator.locale().to_owned(),
            wire::Setting::Any => simulator.setting(&setting_key(&request.domain, &request.name)).to_owned(),
        });
        Ok(Response::new(wire::GetSettingResponse { value }))
    }

    async fn list_settings(
        &self,
        request: Request<wire::ListSettingRequest>,
    ) -> Answer<wire::ListSettingResponse> {
        if request.into_inner().setting() != wire::Setting::Locale {
            return Err(Status::invalid_argument("only locales can be listed"));
        }
        self.arrive().await;
        let values = LOCALES.map(str::to_owned).to_vec();
        Ok(Response::new(wire::ListSettingResponse { values }))
    }

    async fn set_location(
        &self,
        request: Request<wire::SetLocationRequest>,
    ) -> Answer<wire::SetLocationResponse> {
        let location = request.into_inner().location.unwrap_or_default();
        let (latitude, longitude) = (location.latitude, location.longitude);
        if !((-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude)) {
            return Err(Status::invalid_argument(format!("there is no place {latitude}, {longitude}")));
        }
        self.arrive().await.with(|s| s.set_location(latitude, longitude));
        Ok(Response::new(wire::SetLocationResponse {}))
    }

    async fn simulate_memory_warning(
        &self,
        _: Request<wire::SimulateMemoryWarningRequest>,
    ) -> Answer<wire::SimulateMemoryWarningResponse> {
        self.arrive().await.with(|s| s.memory_warning());
        Ok(Response::new(wire::SimulateMemoryWarningResponse {}))
    }

    async fn clear_keychain(
        &self,
        _: Request<wire::ClearKeychainRequest>,
    ) -> Answer<wire::ClearKeychainResponse> {
        self.arrive().await.with(|s| s.clear_keychain());
        Ok(Response::new(wire::ClearKeychainResponse {}))
    }

    async fn contacts_update(
        &self,
        _: Request<wire::ContactsUpdateRequest>,
    ) -> Answer<wire::ContactsUpdateResponse> {
        Err(Status::unimplemented(NO_CONTACTS))
    }

    async fn contacts_clear(
        &self,
        _: Request<wire::ContactsClearRequest>,
    ) -> Answer<wire::ContactsClearResponse> {
        Err(Status::unimplemented(NO_CONTACTS))
    }
}

impl Companion {
    async fn order_permissions(
        &self,
        bundle: &str,
        permissions: &[i32],
        scheme: &str,
        granted: bool,
    ) -> Result<(), Status> {
        let names =
            permissions.iter().map(|&code| permission_name(code, scheme)).collect::<Result<Vec<_>, _>>()?;
        self.arrive()
            .await
            .with(|simulator| {
                // links open without asking here
                names.into_iter().flatten().try_for_each(|n| simulator.set_permission(bundle, n, granted))
            })
            .map_err(refused)
    }
}

fn permission_name(code: i32, scheme: &str) -> Result<Option<&'static str>, Status> {
    use wire::Permission;
    Ok(match Permission::try_from(code) {
        Ok(Permission::Photos) => Some("photos"),
        Ok(Permission::Camera) => Some("camera"),
        Ok(Permission::Contacts) => Some("contacts"),
        Ok(Permission::Location) => Some("location"),
        Ok(Permission::Notification) => Some("notification"),
        Ok(Permission::Microphone) => Some("microphone"),
        Ok(Permission::Url) if scheme.is_empty() => {
            return Err(Status::invalid_argument("the permission to open links needs a scheme"));
        }
        Ok(Permission::Url) => None,
        Err(_) => return Err(Status::invalid_argument(format!("unknown permission {code}"))),
    })
}

/// Pixels a point, as a companion counts: whole on every device.
fn density(pixels: u32, points: f64) -> f64 {
    f64::from(pixels) / points
}

const HARDWARE_KEYBOARD: &str = "hardware-keyboard";
const LOCALES: [&str; 10] =
    ["ar_EG", "de_DE", "en_GB", "en_US", "es_ES", "fr_FR", "he_IL", "it_IT", "ja_JP", "pt_BR"];

/// Settings of the global domain go by their bare name.
fn setting_key(domain: &str, name: &str) -> String {
    match domain {
        "" | "Apple Global Domain" | "NSGlobalDomain" => name.to_owned(),
        domain => format!("{domain}/{name}"),
    }
}
