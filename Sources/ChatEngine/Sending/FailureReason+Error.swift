public import ChatStore
internal import XMPPClient
internal import XMPPStanzas

extension FailureReason {
    /// The condition of a message that has more bytes than the server accepts.
    public static let tooLong = "message-too-long"
    /// The condition of a message because of which the server ended the connection more than once.
    public static let connectionEnded = "connection-ended"

    /// Whether the message would fail in the same way again.
    public var isFinal: Bool { kind == .refused || condition == Self.tooLong }

    /// Why a message could not be sealed: the condition is `not-sealed:` and the code of the error.
    init(_ error: ProtectionError) {
        self.init(.notSent, condition: Self.notSealed + error.code.rawValue, text: nil)
    }

    /// How the condition of a message begins that could not be sealed.
    public static let notSealed = "not-sealed:"

    /// Why a message cannot be sent; `nil` where it can be when the connection is back.
    init?(_ error: ClientError) {
        switch error.code {
        case .stanzaTooLarge: self.init(.notSent, condition: Self.tooLong)
        case .stanzaRefused: self.init(.notSent, condition: Self.connectionEnded)
        default: return nil
        }
    }
}
