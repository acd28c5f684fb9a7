internal import AccountRegistration
internal import Localization
public import Observation
internal import Waiting
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// Creates an account, starting with a provider or an invitation (XEP-0077, XEP-0445).
///
///     let model = home.register()
///     model.provider = "example.org"
///     model.connect()                 // progress becomes .form: model.form says what else is asked for
///     model.userName = "juliet"; model.password = "…"; model.repeatedPassword = "…"
///     model.submit()                  // progress becomes .signingIn: model.signIn continues
@MainActor
@Observable
public final class RegistrationModel {
    public enum Progress: Sendable, Hashable {
        /// The provider has to be entered.
        case provider
        case connecting(ConnectionStep)
        /// The form has to be filled in.
        case form
        case submitting
        /// The account exists; ``signIn`` signs in to it.
        case signingIn
    }

    /// The domain of the provider; a full address is accepted too.
    public var provider = ""
    /// The host to connect to; empty to look it up in DNS.
    public var host = ""
    public var port = ""
    public var userName = ""
    public var password = ""
    public var repeatedPassword = ""
    /// The values of the further fields by their names.
    public var answers: [String: [String]] = [:]
    public private(set) var progress = Progress.provider
    public private(set) var form: RegistrationForm?
    public private(set) var failure: SignInFailure?
    /// Signs in to the new account.
    public private(set) var signIn: SignInModel?
    public let certificates = CertificateInquiry()
    public let invitation: AccountInvitation?

    @ObservationIgnored private let home: ChatHome
    @ObservationIgnored private var work: Task<Void, Never>?
    @ObservationIgnored private var confirmation: Promise<Bool>?

    init(_ home: ChatHome, invitation: AccountInvitation? = nil) {
        self.home = home
        self.invitation = invitation
        provider = invitation?.provider ?? ""
        userName = invitation?.userName ?? ""
    }

    /// The address that the account will have; `nil` until the user name is one.
    public var address: JID? { try? newAddress() }

    /// Whether the user name was set by the invitation.
    public var isUserNameFixed: Bool { invitation?.userName != nil }

    public var isWorking: Bool {
        switch progress {
        case .connecting, .submitting: true
        case .provider, .form: false
        case .signingIn: signIn?.isWorking ?? false
        }
    }

    /// A description of the current step; `nil` if nothing is in progress.
    public var progressText: String? {
        switch progress {
        case .provider, .form: nil
        case .connecting(let step): Wording.step(step, to: provider)
        case .submitting: localized("Creating the account…")
        case .signingIn: signIn?.progressText
        }
    }

    // MARK: Actions

    /// Requests the registration form of the provider.
    public func connect() {
        guard work == nil else { return }
        failure = nil
        let place: (domain: JID, port: UInt16?)
        do throws(SignInFailure) {
            place = (try typedProvider(), try ServerLocation.port(port))
        } catch {
            failure = error
            return
        }
        progress = .connecting(.connecting)
        work = Task { await self.converse(with: place.domain, port: place.port) }
    }

    /// Sends the form.
    public func submit() {
        guard progress == .form else { return }
        do throws(SignInFailure) {
            try checkForm()
        } catch {
            failure = error
            return
        }
        failure = nil
        progress = .submitting
        if let confirmation {
            self.confirmation = nil
            confirmation.fulfil(true)
        } else {
            // The server closed the connection meanwhile: the form is requested again, and the values stay.
            connect()
        }
    }

    /// Cancels the operation and returns to the provider.
    public func cancel() {
        signIn?.cancel()
        work?.cancel()
        work = nil
        confirmation?.fulfil(false)
        confirmation = nil
        form = nil
        failure = nil
        progress = .provider
    }

    /// The user is editing, so the error is cleared.
    public func edited() {
        if failure != nil { failure = nil }
    }

    /// Returns when nothing is in progress any more.
    public func finish() async {
        await work?.value
        await signIn?.finish()
    }

    // MARK: Input

    private func typedProvider() throws(SignInFailure) -> JID {
        let text = provider.trimmingWhitespace
        guard !text.isEmpty else {
            throw SignInFailure(localized("Enter a provider, such as example.org."), .server)
        }
        guard let address = try? JID(text), !address.domain.contains(" ") else {
            throw SignInFailure(localized("“%@” is not a provider; the form is example.org.", text), .server)
        }
        if let local = address.local, userName.isEmpty { userName = local }
        provider = address.domain
        return address.domainJID
    }

    private func checkForm() throws(SignInFailure) {
        guard (try? newAddress()) != nil else {
            throw SignInFailure(
                userName.trimmingWhitespace.isEmpty
                    ? localized("Choose a user name.")
                    : localized("This user name cannot be used; take letters, digits, dots and hyphens."), .address)
        }
        guard !password.isEmpty else { throw SignInFailure(localized("Choose a password."), .password) }
        guard password == repeatedPassword else {
            throw SignInFailure(localized("The two passwords differ."), .repeatedPassword)
        }
        if let field = form?.unanswered(by: answers) {
            throw SignInFailure(localized("“%@” must be filled in.", field.label), .form(field.id))
        }
    }

    private func newAddress() throws -> JID {
        let name = userName.trimmingWhitespace
        guard !name.contains("@"), !name.isEmpty else { throw SignInFailure("") }
        return try JID(local: name, domain: try JID(provider.trimmingWhitespace).domain)
    }

    // MARK: Work

    private func converse(with domain: JID, port: UInt16?) async {
        var isRegistered = false
        do {
            var configuration = ClientConfiguration(address: domain, credentials: .anonymous)
            let inquiry = certificates
            let host = host.trimmingWhitespace
            AccountAccess(address: domain, host: host.isEmpty ? nil : host, port: port)
                .apply(to: &configuration) { evaluation in await inquiry.ask(evaluation) }
            configuration.reconnection = .never
            home.prepare?(&configuration)
            configuration.add { _ in
                StepReport { step in await self.reached(step) }
            }
            isRegistered = try await Client(configuration).register { stream in
                try await self.register(on: stream, at: domain)
            }
        } catch let error as SignInFailure {
            if !Task.isCancelled { stopped(error) }
        } catch let error as ClientError {
            if !Task.isCancelled {
                stopped(
                    SignInFailure(
                        error, domain: domain.domain, certificate: certificates.refused.map { Wording.failure($0) }))
            }
        } catch {
            if !Task.isCancelled { stopped(SignInFailure(localized("Couldn't do that."))) }
        }
        guard !Task.isCancelled else { return }
        work = nil
        if isRegistered { beginSigningIn() }
    }

    private func reached(_ step: ConnectionStep) {
        if case .connecting = progress { progress = .connecting(step) }
    }

    private func stopped(_ error: SignInFailure) {
        confirmation = nil
        failure = error
        progress = form == nil || form?.isOnlyOnWeb == true ? .provider : .form
    }

    /// - Returns: `true` if the account was created, `false` if the user cancelled.
    private func register(on stream: RegistrationStream, at domain: JID) async throws -> Bool {
        if let token = invitation?.token, invitation?.provider == domain.domain {
            _ = try await stream.answer(to: Preauthentication(token: token), from: domain) { _ in
                SignInFailure(localized("The invitation is not valid any more. Ask for another one."), .invitation)
            }
        }
        // After a reconnection, a form that was already filled in is submitted without showing it again.
        var skipsForm = progress == .submitting
        while true {
            let query = try await stream.answer(to: RegistrationRequest()) { error in
                SignInFailure(Wording.failure(RegistrationError(error)), .server)
            }
            let form = RegistrationForm(query)
            if form != self.form {
                skipsForm = skipsForm && self.form != nil && form.fields.isEmpty
                self.form = form
            }
            if form.isOnlyOnWeb {
                progress = .form
                return false
            }
            if !skipsForm {
                progress = .form
                guard await isSubmitted() else { return false }
            }
            skipsForm = false
            if try await submit(query, on: stream) { return true }
        }
    }

    /// - Returns: `false` if the server rejected the form; ``failure`` has the reason.
    private func submit(_ query: RegistrationQuery, on stream: RegistrationStream) async throws -> Bool {
        let submission = RegistrationSubmission(query.answered(with: collected()))
        do {
            _ = try await stream.answer(to: submission) { error in
                let refusal = RegistrationError(error)
                return SignInFailure(Wording.failure(refusal), refusal.code == .nameTaken ? .address : nil)
            }
            return true
        } catch let error as SignInFailure {
            failure = error
            return false
        }
    }

    private func isSubmitted() async -> Bool {
        let confirmation = Promise<Bool>()
        self.confirmation = confirmation
        defer { if self.confirmation === confirmation { self.confirmation = nil } }
        return await confirmation.value(cancelled: false)
    }

    private func collected() -> [String: [String]] {
        var all = form?.completed(answers) ?? answers
        all["username"] = [(try? newAddress().local) ?? userName]
        all["password"] = [password]
        return all
    }

    private func beginSigningIn() {
        guard let address = try? newAddress() else { return }
        let model = SignInModel(home, certificates: certificates)
        model.address = address.description
        model.password = password
        model.host = host
        model.port = port
        signIn = model
        progress = .signingIn
        model.start()
        guard let invitation, invitation.contact != nil else { return }
        Task {
            await model.finish()
            if case .done(let id) = model.progress { self.home.accept(invitation, as: id) }
        }
    }
}

extension RegistrationStream {
    /// The response to a request.
    ///
    /// - Parameter refusal: the meaning of an error response to the user; other errors are those of the connection.
    fileprivate func answer<Request: IQRequest>(
        to request: Request, from receiver: JID? = nil, refusal: @Sendable (ClientError) -> SignInFailure
    ) async throws -> Request.Response {
        let result: Result<Request.Response, ClientError>
        do {
            result = .success(try await self.request(request, to: receiver))
        } catch {
            result = .failure(error)
        }
        switch result {
        case .success(let response): return response
        case .failure(let error):
            if error.stanzaError != nil { throw refusal(error) }
            throw error
        }
    }
}

/// Reports the steps of a connection.
private struct StepReport: SessionExtension {
    let report: @Sendable (ConnectionStep) async -> Void

    func run(in session: Session) async {
        for await batch in session.events(.connection) {
            for case .stateChanged(.connecting(let step)) in batch { await report(step) }
        }
    }
}
