/// Why a sound or a picture could not be read, created, recorded or played: a code for programs, a message in English,
/// and a remedy.
public struct MediaError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for programs.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The waiting task was cancelled.
        case cancelled
        /// The file does not exist, is not a regular file or may not be read.
        case fileUnreadable = "file-unreadable"
        /// The file cannot be created or written.
        case fileUnwritable = "file-unwritable"
        /// The type of the bytes is unknown.
        case unrecognized
        /// The type is known but cannot be opened here.
        case unsupported
        /// The bytes do not follow the rules of their type, or are truncated.
        case corrupt
        /// There are no bytes, or no sound.
        case empty
        /// More bytes or pixels than the limits allow.
        case tooLarge = "too-large"
        /// The sound is longer than the limit allows.
        case tooLong = "too-long"
        /// A GStreamer plugin or a GdkPixbuf loader is not installed.
        case missingPlugin = "missing-plugin"
        /// Neither PulseAudio nor PipeWire is running.
        case noSoundServer = "no-sound-server"
        /// The sound server is running, but the microphone or loudspeaker is missing or not available.
        case noSoundDevice = "no-sound-device"
        /// The call is not allowed in the current state, such as stopping something that was never started.
        case wrongState = "wrong-state"
        /// The library failed for another reason, see `cause`.
        case failed
    }

    public let code: Code
    /// What happened, in English.
    public let message: String
    /// What the user can do about it, in English; empty if there is nothing.
    public let remedy: String
    /// The error message of the underlying library.
    public let cause: String?

    public init(_ code: Code, _ message: String, remedy: String = "", cause: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.cause = cause
    }

    public var description: String {
        var text = message
        if !remedy.isEmpty { text += " " + remedy }
        if let cause, !cause.isEmpty { text += " (" + cause + ")" }
        return text
    }
}

extension MediaError {
    static var cancelled: MediaError { MediaError(.cancelled, "The work was cancelled.") }

    static func corrupt(_ what: String) -> MediaError {
        MediaError(.corrupt, "The file is damaged: \(what).", remedy: "Ask for it again.")
    }

    static func missingPackage(_ what: String, package: String, cause: String? = nil) -> MediaError {
        MediaError(
            .missingPlugin, "\(what) is not installed.",
            remedy: "Install the Debian package \(package), for example: apt install \(package).", cause: cause)
    }
}
