import Foundation
import Glibc

/// A desktop without a screen: a display with a window manager, a session bus with accessibility, and sound, where the
/// microphone hears what is played into ``microphone``.
///
/// Programs run on it with ``environment``. Everything ends with this object or with the test process.
public final class PrivateDesktop: Sendable {
    /// The sound device that the microphone listens to.
    public static let microphone = "microphone"
    private static let loudspeaker = "loudspeaker"

    private let display: PrivateDisplay
    private let bus: PrivateBus
    private let windowManager: PrivateDaemon
    private let sound: PrivateDaemon
    private let folder: String
    /// The environment variables for programs, except those for their files.
    public let environment: [String: String]

    /// - Parameters:
    ///   - width: the width of the screen in pixels.
    ///   - services: additional folders with programs that the bus starts on request.
    public init(
        width: Int, height: Int, services: [(name: String, command: String)] = []
    ) throws(FixtureError) {
        let display = try PrivateDisplay(width: width, height: height)
        let folder = try FixtureDirectory.make("desktop")
        self.display = display
        self.folder = folder
        chmod(folder, 0o700)
        let address = "unix:path=\(folder)/bus"
        let environment = display.environment.merging(
            [
                "HOME": folder, "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": "\(folder)/config",
                "XDG_CACHE_HOME": "\(folder)/cache", "XDG_DATA_HOME": "\(folder)/data",
                "LC_ALL": "C.UTF-8", "LANGUAGE": "", "WAYLAND_DISPLAY": "",
                "DBUS_SESSION_BUS_ADDRESS": address, "AT_SPI_BUS_ADDRESS": address, "GTK_A11Y": "atspi",
                "PULSE_SERVER": "unix:\(folder)/sound", "PULSE_SINK": Self.loudspeaker,
                "PULSE_SOURCE": "\(Self.microphone).monitor",
            ]
        ) { _, own in own }
        self.environment = environment
        @Sendable func command(_ name: String, _ words: [String]) -> Command {
            Command(
                program: "setpriv", arguments: ["--pdeathsig", "KILL"] + words, environment: environment,
                directory: folder, outputFile: "\(folder)/\(name).log")
        }
        func answers(_ words: [String], _ expected: String) -> Bool {
            let output = try? command("question-\(UInt32.random(in: 0 ... .max))", words).run()
            return output?.contains(expected) ?? false
        }
        bus = try PrivateBus(in: folder, environment: environment, services: services)
        windowManager = try PrivateDaemon(command("openbox", ["openbox", "--sm-disable"]), name: "openbox") { _ in
            answers(["xdotool", "get_num_desktops"], "\n")
        }
        sound = try PrivateDaemon(
            command(
                "sound",
                [
                    "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
                    "--disable-shm=yes", "--load=module-native-protocol-unix auth-anonymous=1 socket=\(folder)/sound",
                    "--load=module-null-sink sink_name=\(Self.microphone) rate=48000 channels=1",
                    "--load=module-null-sink sink_name=\(Self.loudspeaker) rate=48000 channels=2",
                ]), name: "PulseAudio"
        ) { _ in answers(["pactl", "list", "short", "sinks"], Self.loudspeaker) }
    }

    deinit { FixtureDirectory.remove(folder) }

    /// Replaces the program that shows notifications.
    public func notifications(capabilities: [String]) throws(FixtureError) -> PrivateNotifications {
        try PrivateNotifications(on: bus, capabilities: capabilities)
    }
}
