internal import ChatModel
internal import Cryptography
internal import EntityInformation
internal import FileSharing
internal import Localization
internal import MessageFeatures
internal import Roster
internal import SASLMechanisms
internal import ServiceDiscovery
internal import TerminalApp
internal import TransportLayer
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStream

/// An account with everything that is needed to connect: the options of the command line, completed by saved data.
struct SignIn: Sendable {
    /// The purpose of signing in.
    enum Purpose: Sendable {
        /// To use the account.
        case session
        /// To check the password, which is saved if it is correct.
        case keeping
        /// To register the account: the password is new, so it is not looked up, and requested twice.
        case registration
        /// To examine the connection. No password is requested, and nothing is saved, changed or removed.
        case observation
    }

    let address: JID
    let connection: ConnectionOptions
    let password: String
    let source: PasswordSource
    /// Asks about certificates, if the user requested it.
    let question: TrustQuestion?
    /// The problems of the server certificate.
    let evaluations = CertificateInquiry.Record()
    private let trustedCertificates: [String]
    private let proxy: Proxy?
    /// Identifies this installation to the server of the account; `nil` for accounts that are not saved.
    private let userAgent: UserAgent?
    /// The token that replaces the password.
    private let token: FASTToken?
    /// The mechanism of the last login; signing in again accepts a weaker one.
    private let previousMechanism: SASLMechanismName?

    /// Finds account, server and password.
    init(_ options: ConnectionOptions, for purpose: Purpose = .session) async throws(CommandError) {
        var accounts = try CommandError.inProfile { () throws(ProfileFailure) in try AccountFile() }
        let account: AccountFile.Account?
        if let address = options.address {
            account = accounts.account(address)
        } else {
            account = accounts.current
        }
        guard let address = options.address ?? account?.address else {
            throw .usage(localized("There is no account yet; name one with --jid, or run `hongyan login` first."))
        }
        var connection = options
        if connection.host == nil {
            connection.host = account?.host
            connection.port = connection.port ?? account?.port
        }
        connection.authorityFile = connection.authorityFile ?? account?.certificateAuthority
        connection.usesDirectTLS = connection.usesDirectTLS || account?.usesDirectTLS == true
        if connection.proxyURL == nil {
            connection.proxyURL = account?.proxy
            connection.proxyPasswordFile = account?.proxyPasswordFile
        }
        proxy = try connection.proxy()
        self.address = address
        question = connection.trust == .ask ? TrustQuestion() : nil
        trustedCertificates = account?.trustedCertificates ?? []
        if let identity = options.identity {
            guard purpose != .registration else {
                throw .usage(localized("An account is created with a password, not with a certificate."))
            }
            connection.identity = identity
        } else if purpose != .registration, let certificate = account?.clientCertificate {
            connection.identity = TLSIdentity(
                certificateChainFile: certificate, privateKeyFile: account?.clientKey ?? certificate)
        }
        if let identity = connection.identity, identity.warning != nil {
            StandardOutput.report(
                localized(
                    "The private key in %@ can be read by others; make it readable for its owner alone.",
                    identity.privateKeyFile))
        }
        // The stored certificate belongs to the stored password.
        (password, source) = try await PasswordSource.find(
            for: address, identity: connection.identity, file: options.passwordFile,
            usesStore: purpose != .registration && options.identity == nil,
            asksTwice: purpose == .registration, asksUser: purpose != .observation)
        if source != .certificate, source != .missing { connection.identity?.passphrase = password }
        self.connection = connection
        switch purpose {
        case .session:
            userAgent = try CommandError.inProfile { () throws(ProfileFailure) in
                try accounts.userAgent(of: address)
            }
        case .keeping, .registration:
            userAgent = account?.userAgent.flatMap(UserAgent.installation) ?? UserAgent.newInstallation()
        case .observation: userAgent = nil
        }
        previousMechanism =
            purpose == .session ? account?.lastMechanism.map { SASLMechanismName(rawValue: $0) } : nil
        // A password that the user enters or wants to check must be used, not a token.
        token =
            purpose == .session && userAgent != nil && source == .store && connection.identity == nil
            ? await LoginTokens(account: address).token : nil
    }

    /// The settings for the library, without extensions.
    var configuration: ClientConfiguration {
        var configuration =
            connection.identity.map { ClientConfiguration(address: address, identity: $0) }
            ?? ClientConfiguration(address: address, password: password)
        configuration.host = connection.host
        configuration.port = connection.port
        if connection.usesDirectTLS { configuration.encryption = .directTLS }
        configuration.trust = trust
        configuration.proxy = proxy
        connection.log?.attach(to: &configuration)
        configuration.userAgent = userAgent
        configuration.fastToken = token
        configuration.mechanisms.previousMechanism = previousMechanism
        if userAgent != nil { configuration.signInStore = LoginTokens(account: address) }
        // The user is waiting for the end of the command.
        configuration.reconnection = .brief
        if let seconds = connection.timeout {
            configuration.loginTimeout = .seconds(seconds)
            configuration.requestTimeout = .seconds(seconds)
        }
        return configuration
    }

    private var trust: TrustPolicy {
        connection.trustPolicy(question: question, accepted: trustedCertificates)
    }

    /// The same policy; untrusted certificates are recorded in ``evaluations``.
    func noting(_ trust: TrustPolicy) -> TrustPolicy {
        guard question == nil, trustedCertificates.isEmpty, connection.trust == .authorities else { return trust }
        return .ask(anchors: connection.authorityFile.map { .file($0) } ?? .system, isInteractive: false) {
            [evaluations] evaluation in
            evaluations.note(evaluation)
            return false
        }
    }

    /// The error that ended a session, with the problems of the certificate.
    func explained(_ error: ClientError) -> any Error {
        guard error.streamFailure?.code == .certificateRejected, let evaluation = evaluations.last else { return error }
        return CommandError.untrusted(Wording.failure(evaluation))
    }

    /// The data saved for the account after a login, so that later commands need no options.
    ///
    /// - Parameter mechanism: the mechanism of the login.
    func account(after mechanism: String?) -> AccountFile.Account {
        var trusted = trustedCertificates + (question?.accepted ?? [])
        if case .pinned(let digits) = connection.trust { trusted.append(digits) }
        let identity = connection.identity
        return AccountFile.Account(
            address: address.bare, host: connection.host, port: connection.port,
            certificateAuthority: connection.authorityFile.map(Self.absolute), usesDirectTLS: connection.usesDirectTLS,
            trustedCertificates: trusted.isEmpty ? nil : Array(Set(trusted)).sorted(), userAgent: userAgent?.id,
            lastMechanism: mechanism, clientCertificate: identity.map { Self.absolute($0.certificateChainFile) },
            clientKey: identity.map { Self.absolute($0.privateKeyFile) }, proxy: connection.proxyURL,
            proxyPasswordFile: connection.proxyPasswordFile.map(Self.absolute))
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileFolder.currentDirectory + "/" + path
    }
}

extension ConnectionOptions {
    /// The trusted certificates.
    ///
    /// - Parameter accepted: the certificates that the user accepted for the account, in hexadecimal digits.
    func trustPolicy(question: TrustQuestion? = nil, accepted: [String] = []) -> TrustPolicy {
        if let question { return question.policy }
        if case .pinned(let digits) = trust { return .pinned([Hex.decode(digits) ?? []]) }
        if let file = authorityFile { return .certificateAuthority(file) }
        return accepted.isEmpty ? .system : .pinned(accepted.compactMap { Hex.decode($0) })
    }
}

extension SignIn {
    /// The settings of a program that stays online regardless of network failures.
    var lastingConfiguration: ClientConfiguration {
        var configuration = configuration
        configuration.reconnection = .standard
        return configuration
    }

    /// The settings with the extensions that the programs of this package need: contacts, files, receipts, and answers
    /// to requests.
    ///
    /// - Parameter isLasting: whether the program stays online until the user ends it.
    func configuration(
        accepting policy: RosterPolicy = RosterPolicy(), name: String = "Hongyan", isLasting: Bool = false
    ) -> ClientConfiguration {
        var configuration = isLasting ? lastingConfiguration : configuration
        configuration.add { ServiceDiscovery($0, identity: .init(category: "client", type: "console", name: name)) }
        configuration.add { _ in EntityInformation() }
        configuration.add { Roster($0, policy: policy) }
        configuration.add { _ in DeliveryReceipts() }
        configuration.add { FileSharing($0) }
        return configuration
    }
}

extension Session {
    /// The extensions added by ``SignIn`` exist until the session ends.
    nonisolated func extensionInUse<Extension: SessionExtension>(
        _ type: Extension.Type
    ) throws(CommandError) -> Extension {
        guard let found = self[type] else {
            throw CommandError(.connection, localized("The connection to the server is over; try again."))
        }
        return found
    }

    /// Waits until the server has handled everything sent so far: it answers in order.
    func settle() async throws(ClientError) {
        try await ping()
    }
}
