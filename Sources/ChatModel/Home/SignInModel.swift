internal import ChatEngine
public import ChatStore
internal import Localization
public import Observation
internal import XMPPAddress
public import XMPPClient
internal import XMPPStream

/// Signing in to one account, from what a person types to an account at work: verified by logging in, and kept only then.
///
///     let model = home.signIn()
///     model.address = "juliet@example.org"; model.password = "…"
///     model.start()
///     // observe: model.progress, model.certificates.question, model.failure
@MainActor
@Observable
public final class SignInModel {
    public enum Progress: Sendable, Hashable {
        case idle
        case connecting(ConnectionStep)
        /// The server has said yes; password and account are being kept.
        case saving
        case done(AccountID)
    }

    public var address = ""
    public var password = ""
    /// Where to connect, if DNS does not say it; empty for what it says.
    public var host = ""
    public var port = ""
    public var usesDirectTLS = false
    public private(set) var progress = Progress.idle
    public private(set) var failure: SignInFailure?
    public let certificates: CertificateInquiry
    /// The account is there already, and only needs another password or an answer about its server.
    public let isRepeated: Bool

    @ObservationIgnored private let home: ChatHome
    @ObservationIgnored private var certificateAuthority: String?
    @ObservationIgnored private var kept: Set<[UInt8]> = []
    @ObservationIgnored private var work: Task<Void, Never>?

    /// How long one step may take. Servers answer within a second; a person's answer about a certificate is not counted.
    static let patience = Duration.seconds(30)

    init(_ home: ChatHome, again access: AccountAccess? = nil, certificates: CertificateInquiry = CertificateInquiry())
    {
        self.home = home
        self.certificates = certificates
        isRepeated = access != nil
        if let access {
            address = access.address.description
            host = access.host ?? ""
            port = access.port.map(String.init) ?? ""
            usesDirectTLS = access.usesDirectTLS
            certificateAuthority = access.certificateAuthority
            kept = access.trustedCertificates
        }
    }

    public var isWorking: Bool {
        switch progress {
        case .connecting, .saving: true
        case .idle, .done: false
        }
    }

    /// What is going on, in words; `nil` while nothing is.
    public var progressText: String? {
        switch progress {
        case .idle, .done: nil
        case .saving: localized("Signed in. One moment…")
        case .connecting(let step): Wording.step(step, to: (try? typedAddress().domain) ?? "")
        }
    }

    /// Begins; ``progress`` and ``failure`` say how it goes. While it goes on this does nothing.
    public func start() {
        guard !isWorking else { return }
        failure = nil
        let access: AccountAccess
        do throws(SignInFailure) {
            access = try typedAccess()
        } catch {
            failure = error
            return
        }
        progress = .connecting(.connecting)
        work = Task { await self.signIn(access, password: password) }
    }

    /// Gives up what goes on; what the server has accepted is kept all the same.
    public func cancel() {
        if progress != .saving { work?.cancel() }
    }

    /// The person types again, so what was wrong need not be said any more.
    public func edited() {
        if failure != nil { failure = nil }
    }

    /// Returns when nothing goes on any more.
    public func finish() async { await work?.value }

    // MARK: What was typed

    private func typedAddress() throws(SignInFailure) -> JID {
        var text = address.trimmingWhitespace
        if text.utf8.prefix(5).elementsEqual("xmpp:".utf8) { text = String(text.dropFirst(5)) }
        guard !text.isEmpty else {
            throw SignInFailure(localized("Enter your address, such as juliet@example.org."), .address)
        }
        guard text.contains("@"), let jid = try? JID(text), jid.local != nil else {
            throw SignInFailure(
                localized("“%@” is no address; it looks like juliet@example.org.", text), .address)
        }
        return jid.bare
    }

    private func typedAccess() throws(SignInFailure) -> AccountAccess {
        let address = try typedAddress()
        if !isRepeated, home.accounts.rows.elements.contains(where: { $0.address == address }) {
            throw SignInFailure(localized("%@ is signed in already.", address), .address)
        }
        guard !password.isEmpty else { throw SignInFailure(localized("Enter your password."), .password) }
        let number = try ServerPlace.port(port)
        let host = host.trimmingWhitespace
        if host.isEmpty, number != nil {
            throw SignInFailure(localized("Enter the host as well, or leave both empty."), .server)
        }
        return AccountAccess(
            address: address, host: host.isEmpty ? nil : host, port: number, usesDirectTLS: usesDirectTLS,
            certificateAuthority: certificateAuthority, trustedCertificates: kept)
    }

    // MARK: The work

    private func signIn(_ access: AccountAccess, password: String) async {
        do throws(SignInFailure) {
            try await verify(access, password: password)
            progress = .saving
            var access = access
            access.trustedCertificates.formUnion(certificates.accepted)
            let id = try await home.adopt(access, password: password, trusting: certificates.acceptedForNow)
            self.password = ""
            progress = .done(id)
        } catch {
            progress = .idle
            if !Task.isCancelled { failure = error }
        }
        work = nil
    }

    private func verify(_ access: AccountAccess, password: String) async throws(SignInFailure) {
        var configuration = ClientConfiguration(address: access.address, password: password)
        let inquiry = certificates
        access.apply(to: &configuration, trusted: inquiry.acceptedForNow.union(inquiry.accepted)) { evaluation in
            await inquiry.ask(evaluation)
        }
        configuration.reconnection = .never
        home.prepare?(&configuration)
        let login = LoginAttempt(configuration, patience: Self.patience) { inquiry.question != nil }
        do throws(ClientError) {
            try await login.run { step in self.progress = .connecting(step) }
        } catch {
            throw SignInFailure(
                error, domain: access.address.domain, certificate: certificates.refused.map { Wording.failure($0) })
        }
    }
}

/// What a person types about the place of a server.
enum ServerPlace {
    static func port(_ text: String) throws(SignInFailure) -> UInt16? {
        let text = text.trimmingWhitespace
        guard !text.isEmpty else { return nil }
        guard let number = UInt16(text), number > 0 else {
            throw SignInFailure(localized("The port is a number from 1 to 65535."), .port)
        }
        return number
    }
}

extension String {
    var trimmingWhitespace: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}

/// Why signing in or creating an account did not work: a sentence in the person's language that says what to do, and the field
/// that it is about.
public struct SignInFailure: Error, Sendable, Hashable {
    /// What the person has to look at.
    public enum Field: Sendable, Hashable {
        case address, password, repeatedPassword, server, port, invitation
        /// A field of the provider's form, by its name.
        case form(String)
    }

    public let sentence: String
    public let field: Field?

    init(_ sentence: String, _ field: Field? = nil) {
        self.sentence = sentence
        self.field = field
    }

    /// The error of a connection that was to be made to the server of `domain`.
    ///
    /// - Parameter certificate: why the certificate was not trusted, if it was looked at.
    public init(_ error: ClientError, domain: String, certificate: String? = nil) {
        self.init(
            Wording.failure(error, domain: domain, certificate: certificate),
            error.streamFailure.flatMap { Self.field($0.code) })
    }

    private static func field(_ code: StreamFailure.Code) -> Field? {
        switch code {
        case .credentialsRejected, .credentialsExpired: .password
        case .serverNotFound: .address
        case .encryptionRefused, .encryptionFailed, .injectedBeforeEncryption, .settingsUnusable, .notXMPP,
            .serverMismatch:
            .server
        default: nil
        }
    }
}
