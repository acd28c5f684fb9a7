internal import ChatEngine
public import ChatStore
internal import Localization
public import Observation
internal import XMPPAddress
public import XMPPClient
internal import XMPPStream

/// Signs in to an account: verifies the input by logging in, then saves the account and starts it.
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
        /// The login succeeded; password and account are being saved.
        case saving
        case done(AccountID)
    }

    public var address = ""
    public var password = ""
    /// The host to connect to; empty to look it up in DNS.
    public var host = ""
    public var port = ""
    public var usesDirectTLS = false
    public private(set) var progress = Progress.idle
    public private(set) var failure: SignInFailure?
    public let certificates: CertificateInquiry
    /// Whether the account exists already and only requires another password or a decision about its server.
    public let isRepeated: Bool

    @ObservationIgnored private let home: ChatHome
    @ObservationIgnored private var certificateAuthority: String?
    @ObservationIgnored private var kept: Set<[UInt8]> = []
    @ObservationIgnored private var proxy: (url: String?, passwordFile: String?)
    @ObservationIgnored private var work: Task<Void, Never>?

    /// The maximum time of one step. Servers answer within a second; the time of a question to the user does not count.
    static let timeout = Duration.seconds(30)

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
            proxy = (access.proxy, access.proxyPasswordFile)
        }
    }

    public var isWorking: Bool {
        switch progress {
        case .connecting, .saving: true
        case .idle, .done: false
        }
    }

    /// A description of the current step; `nil` if nothing is in progress.
    public var progressText: String? {
        switch progress {
        case .idle, .done: nil
        case .saving: localized("Signed in. One moment…")
        case .connecting(let step): Wording.step(step, to: (try? typedAddress().domain) ?? "")
        }
    }

    /// Starts; ``progress`` and ``failure`` report the result. Does nothing while it is in progress.
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

    /// Cancels. What the server has already accepted is saved nevertheless.
    public func cancel() {
        if progress != .saving { work?.cancel() }
    }

    /// The user is editing, so the error is cleared.
    public func edited() {
        if failure != nil { failure = nil }
    }

    /// Returns when nothing is in progress any more.
    public func finish() async { await work?.value }

    // MARK: Input

    private func typedAddress() throws(SignInFailure) -> JID {
        var text = address.trimmingWhitespace
        if text.utf8.prefix(5).elementsEqual("xmpp:".utf8) { text = String(text.dropFirst(5)) }
        guard !text.isEmpty else {
            throw SignInFailure(localized("Enter your address, such as juliet@example.org."), .address)
        }
        guard text.contains("@"), let jid = try? JID(text), jid.local != nil else {
            throw SignInFailure(
                localized("“%@” is not an address; the form is juliet@example.org.", text), .address)
        }
        return jid.bare
    }

    private func typedAccess() throws(SignInFailure) -> AccountAccess {
        let address = try typedAddress()
        if !isRepeated, home.accounts.rows.elements.contains(where: { $0.address == address }) {
            throw SignInFailure(localized("%@ is signed in already.", address), .address)
        }
        guard !password.isEmpty else { throw SignInFailure(localized("Enter your password."), .password) }
        let number = try ServerLocation.port(port)
        let host = host.trimmingWhitespace
        if host.isEmpty, number != nil {
            throw SignInFailure(localized("Enter the host as well, or leave both empty."), .server)
        }
        return AccountAccess(
            address: address, host: host.isEmpty ? nil : host, port: number, usesDirectTLS: usesDirectTLS,
            certificateAuthority: certificateAuthority, trustedCertificates: kept, proxy: proxy.url,
            proxyPasswordFile: proxy.passwordFile)
    }

    // MARK: Work

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
        let login = LoginAttempt(configuration, timeout: Self.timeout) { inquiry.question != nil }
        do throws(ClientError) {
            try await login.run { step in self.progress = .connecting(step) }
        } catch {
            throw SignInFailure(
                error, domain: access.address.domain, certificate: certificates.refused.map { Wording.failure($0) })
        }
    }
}

/// Parses the server settings that the user typed.
enum ServerLocation {
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

/// Why signing in or creating an account failed: a message in the user's language that says what to do, and the field
/// that it is about.
public struct SignInFailure: Error, Sendable, Hashable {
    /// The field that the user has to check.
    public enum Field: Sendable, Hashable {
        case address, password, repeatedPassword, server, port, invitation
        /// A field of the provider's form, by its name.
        case form(String)
    }

    public let message: String
    public let field: Field?

    init(_ message: String, _ field: Field? = nil) {
        self.message = message
        self.field = field
    }

    /// Creates the failure for an error of the connection to the server of `domain`.
    ///
    /// - Parameter certificate: why the certificate was not trusted, if it was checked.
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
