internal import TransportLayer
internal import XMPPAddress
internal import XMPPClient

/// What a walk is allowed to know and to do.
struct DiagnosisSettings: Sendable {
    /// In place of what DNS says.
    var host: String?
    var port: UInt16?
    var usesDirectTLS = false
    var resolver = ResolverConfiguration()
    var trust = TrustPolicy.system
    /// Whether ``trust`` asks a person, who must not be asked two things at once.
    var asksPerson = false
    /// For each single step: a look-up, a connection, a handshake, an answer.
    var patience = Duration.seconds(10)
    /// How to log in; `nil` without a password.
    var login: ClientConfiguration?
    /// Where the host-meta file of a domain is asked for.
    var hostMetaPort: UInt16 = 443
    /// Whether a few bytes are put on the upload service and fetched again.
    var triesUpload = false

    /// - Parameter signIn: the account and what the command line says about its server.
    init(_ signIn: SignIn? = nil, connection: ConnectionOptions, triesUpload: Bool = false) {
        let connection = signIn?.connection ?? connection
        host = connection.host
        port = connection.port
        usesDirectTLS = connection.usesDirectTLS
        asksPerson = connection.trust == .ask
        if let seconds = connection.timeout { patience = .seconds(seconds) }
        resolver.deadline = min(resolver.deadline, patience)
        self.triesUpload = triesUpload
        trust = signIn?.configuration.trust ?? connection.trustPolicy(question: asksPerson ? TrustQuestion() : nil)
        if let signIn, signIn.source != .missing { login = signIn.configuration }
    }
}
