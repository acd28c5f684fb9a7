import Foundation

@testable import Media

/// A private PulseAudio with a loudspeaker `feed` that is only connected to its monitor, which is the microphone.
final class PrivateSoundServer: Sendable {
    let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts the server and returns once it responds.
    init() async throws {
        folder = try TemporaryFolder()
        let environment = Self.environment(folder)
        // Exits without clients, in case the tests are killed.
        process = try ChildProcess(
            [
                "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=120", "--use-pid-file=no", "--disable-shm=yes",
                "--load=module-native-protocol-unix auth-anonymous=1 socket=\(folder.path)/native",
                "--load=module-null-sink sink_name=feed rate=48000 channels=1",
            ], environment: environment, output: "/dev/null", errors: folder.path + "/log")
        let deadline = ContinuousClock.now + .seconds(120)
        while true {
            do {
                try await run(["pactl", "info"], environment: environment)
                return
            } catch {
                guard process.isRunning, ContinuousClock.now < deadline else { throw error }
            }
        }
    }

    deinit {
        stop()
    }

    var server: SoundServer { SoundServer(address: "unix:\(folder.path)/native") }

    private static func environment(_ folder: TemporaryFolder) -> [String: String] {
        [
            "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "XDG_CONFIG_HOME": folder.path,
            "PULSE_SERVER": "unix:\(folder.path)/native",
        ]
    }

    /// Plays a file into `feed` and returns at its end.
    func play(_ path: String) async throws {
        try await run(["paplay", "--device=feed", path], environment: Self.environment(folder))
    }

    func stop() {
        process.terminate()
    }
}
