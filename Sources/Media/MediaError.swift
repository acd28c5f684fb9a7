/// Why a sound or a picture could not be read, made, recorded or played: one sentence that says what happened and one
/// that says what to do.
public struct MediaError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for programs; new kinds may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The task that waited was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The file does not exist, is no regular file or may not be read.
        public static let fileUnreadable = Code(rawValue: "file-unreadable")
        /// The file cannot be created or written.
        public static let fileUnwritable = Code(rawValue: "file-unwritable")
        /// The bytes are of no type that is known here.
        public static let unrecognized = Code(rawValue: "unrecognized")
        /// The type is known by name, but it cannot be opened here.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The bytes do not follow the rules of their type, or end too early.
        public static let corrupt = Code(rawValue: "corrupt")
        /// Nothing is in it: no bytes, or no sound.
        public static let empty = Code(rawValue: "empty")
        /// More bytes or pixels than the named limits allow.
        public static let tooLarge = Code(rawValue: "too-large")
        /// The sound lasts longer than the named limit allows.
        public static let tooLong = Code(rawValue: "too-long")
        /// A plugin of GStreamer or a loader of GdkPixbuf is not installed.
        public static let missingPlugin = Code(rawValue: "missing-plugin")
        /// Neither PulseAudio nor PipeWire answers.
        public static let noSoundServer = Code(rawValue: "no-sound-server")
        /// The sound server runs, but the microphone or loudspeaker is not there or refuses.
        public static let noSoundDevice = Code(rawValue: "no-sound-device")
        /// The call does not fit the state, such as stopping what was never started.
        public static let wrongState = Code(rawValue: "wrong-state")
        /// The library stopped for a reason of its own, told in `cause`.
        public static let failed = Code(rawValue: "failed")
    }

    public let code: Code
    /// What happened, as a sentence.
    public let message: String
    /// What a person can do about it, as a sentence; empty when there is nothing.
    public let remedy: String
    /// The underlying library's own words.
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
