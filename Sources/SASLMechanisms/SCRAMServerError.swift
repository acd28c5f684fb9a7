/// The reason of a SCRAM server in `e=` (RFC 5802 §7, `server-error-value`).
public struct SCRAMServerError: RawRepresentable, Error, Sendable, Hashable, CustomStringConvertible {
    /// The value on the wire; a server may send one that is not in the RFC.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let invalidEncoding = SCRAMServerError(rawValue: "invalid-encoding")
    public static let extensionsNotSupported = SCRAMServerError(rawValue: "extensions-not-supported")
    public static let invalidProof = SCRAMServerError(rawValue: "invalid-proof")
    public static let channelBindingsDoNotMatch = SCRAMServerError(rawValue: "channel-bindings-dont-match")
    public static let serverDoesSupportChannelBinding = SCRAMServerError(
        rawValue: "server-does-support-channel-binding")
    public static let channelBindingNotSupported = SCRAMServerError(rawValue: "channel-binding-not-supported")
    public static let unsupportedChannelBindingType = SCRAMServerError(rawValue: "unsupported-channel-binding-type")
    public static let unknownUser = SCRAMServerError(rawValue: "unknown-user")
    public static let invalidUsernameEncoding = SCRAMServerError(rawValue: "invalid-username-encoding")
    public static let noResources = SCRAMServerError(rawValue: "no-resources")
    public static let otherError = SCRAMServerError(rawValue: "other-error")

    /// Whether the reason means that someone modified the exchange in transit.
    public var meansTampering: Bool {
        self == .channelBindingsDoNotMatch || self == .serverDoesSupportChannelBinding
    }

    /// The meaning of the reason, in English. A reason outside the RFC reads as "other-error", as §7 requires.
    public var description: String {
        switch self {
        case .invalidEncoding: "The server could not decode the login."
        case .extensionsNotSupported: "The server does not know an extension that the login demands."
        case .invalidProof: "The password is wrong."
        case .channelBindingsDoNotMatch:
            "The two ends see different TLS connections: somebody may be listening in between."
        case .serverDoesSupportChannelBinding:
            "The server's offer was changed on the way: somebody may be listening in between."
        case .channelBindingNotSupported: "The server cannot bind the login to the TLS connection."
        case .unsupportedChannelBindingType: "The server cannot bind the login to the TLS connection this way."
        case .unknownUser: "The server does not know this user."
        case .invalidUsernameEncoding: "The server could not read the user name."
        case .noResources: "The server has no resources for the login."
        default: "The server refused the login without a reason that is known here."
        }
    }
}
