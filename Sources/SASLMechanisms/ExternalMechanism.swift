/// The client side of EXTERNAL (RFC 4422 appendix A, XEP-0178): the TLS client certificate is the proof.
///
///     C: [authzid]
public struct ExternalClient: SASLClientMechanism {
    public var name: SASLMechanismName { .external }
    private let authorizationID: String?

    /// `authorizationID` is `nil` if the server should derive the identity from the certificate.
    public init(authorizationID: String?) { self.authorizationID = authorizationID }

    public mutating func start() throws(SASLError) -> [UInt8]? {
        guard let authorizationID else { return [] }
        return try SASLText.bytes(of: authorizationID, naming: "authorization identity")
    }

    /// A server that overlooked the empty initial response asks again.
    public mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
        guard challenge.isEmpty else { throw SASLError(.unexpectedMessage) }
        return try start() ?? []
    }

    /// EXTERNAL proves nothing about the server; TLS did.
    public mutating func succeed(with additionalData: [UInt8]?) throws(SASLError) {}
}
