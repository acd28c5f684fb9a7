internal import AccountRegistration
internal import Localization
public import Observation
internal import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// Creating an account, from the name of a provider, or an invitation, to an account at work (XEP-0077, XEP-0445).
///
///     let model = home.register()
///     model.provider = "example.org"
///     model.connect()                 // progress becomes .form: model.form says what else is asked for
///     model.userName = "juliet"; model.password = "…"; model.repeatedPassword = "…"
///     model.submit()                  // progress becomes .signingIn: model.signIn goes on
@MainActor
@Observable
public final class RegistrationModel {
    public enum Progress: Sendable, Hashable {
        /// The provider is asked for.
        case provider
        case connecting(ConnectionStep)
        /// The form is to be filled in.
        case form
        case submitting
        /// There is an account; ``signIn`` signs in to it.
        case signingIn
    }

    /// The domain of the provider; a whole address counts, too.
    public var provider = ""
    /// Where to connect, if DNS does not say it.
    public var host = ""
    public var port = ""
    public var userName = ""
    public var password = ""
    public var repeatedPassword = ""
    /// What was filled in beside that, by the name of the field.
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
    @ObservationIgnored private var wish: CheckedContinuation<Bool, Never>?

    init(_ home: ChatHome, invitation: AccountInvitation? = nil) {
        self.home = home
        self.invitation = invitation
        provider = invitation?.provider ?? ""
        userName = invitation?.userName ?? ""
    }

    /// The name was chosen by whoever has sent the invitation.
    public var isUserNameFixed: Bool { invitation?.userName != nil }

    public var isWorking: Bool {
        switch progress {
        case .connecting, .submitting: true
        case .provider, .form: false
        case .signingIn: signIn?.isWorking ?? false
        }
    }

    /// What is going on, in words; `nil` while nothing is.
    public var progressText: String? {
        switch progress {
        case .provider, .form: nil
        case .connecting(let step): Wording.step(step, to: provider)
        case .submitting: localized("Creating the account…")
        case .signingIn: signIn?.progressText
        }
    }

    // MARK: What a person wants

    /// Asks the provider what it wants to know.
    public func connect() {
        guard work == nil else { return }
        failure = nil
        let place: (domain: JID, port: UInt16?)
        do throws(SignInFailure) {
            place = (try typedProvider(), try ServerPlace.port(port))
        } catch {
            failure = error
            return
        }
        progress = .connecting(.connecting)
        work = Task { await self.converse(with: place.domain, port: place.port) }
    }

    /// Sends the form as it is filled in.
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
        if let wish {
            self.wish = nil
            wish.resume(returning: true)
        } else {
            // The server did not wait that long: it is asked again, and what is filled in stays.
            connect()
        }
    }

    /// Gives up what goes on, and returns to the provider.
    public func cancel() {
        signIn?.cancel()
        work?.cancel()
        work = nil
        wish?.resume(returning: false)
        wish = nil
        form = nil
        failure = nil
        progress = .provider
    }

    /// The person types again, so what was wrong need not be said any more.
    public func edited() {
        if failure != nil { failure = nil }
    }

    /// Returns when nothing goes on any more.
    public func finish() async {
        await work?.value
        await signIn?.finish()
    }

    // MARK: What was typed

    private func typedProvider() throws(SignInFailure) -> JID {
        let text = provider.trimmingWhitespace
        guard !text.isEmpty else {
            throw SignInFailure(localized("Enter a provider, such as example.org."), .server)
        }
        guard let address = try? JID(text), !address.domain.contains(" ") else {
            throw SignInFailure(localized("“%@” is no provider; it looks like example.org.", text), .server)
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
        for field in form?.fields ?? [] where field.isRequired && field.kind != .remark && field.kind != .yesOrNo {
            let values = answers[field.id] ?? field.values
            guard values.contains(where: { !$0.trimmingWhitespace.isEmpty }) else {
                throw SignInFailure(localized("“%@” must be filled in.", field.label), .form(field.id))
            }
        }
    }

    private func newAddress() throws -> JID {
        let name = userName.trimmingWhitespace
        guard !name.contains("@"), !name.isEmpty else { throw SignInFailure("") }
        return try JID(local: name, domain: try JID(provider.trimmingWhitespace).domain)
    }

    // MARK: The work

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
            if !Task.isCancelled { stopped(SignInFailure(localized("It did not work."))) }
        }
        guard !Task.isCancelled else { return }
        work = nil
        if isRegistered { beginSigningIn() }
    }

    private func reached(_ step: ConnectionStep) {
        if case .connecting = progress { progress = .connecting(step) }
    }

    private func stopped(_ error: SignInFailure) {
        wish = nil
        failure = error
        progress = form == nil || form?.isOnlyOnWeb == true ? .provider : .form
    }

    /// - Returns: whether there is an account now; otherwise the person has given up.
    private func register(on stream: RegistrationStream, at domain: JID) async throws -> Bool {
        if let token = invitation?.token, invitation?.provider == domain.domain {
            _ = try await Self.ask(Preauthentication(token: token), of: stream, to: domain) { _ in
                SignInFailure(localized("The invitation is not valid any more. Ask for another one."), .invitation)
            }
        }
        // Somebody who has filled in the form already, while the server was gone, is not made to look at it again.
        var isWanted = progress == .submitting
        while true {
            let query = try await Self.ask(RegistrationRequest(), of: stream) { error in
                SignInFailure(Wording.failure(RegistrationError(error)), .server)
            }
            let form = RegistrationForm(query)
            if form != self.form {
                isWanted = isWanted && self.form != nil && form.fields.isEmpty
                self.form = form
            }
            if form.isOnlyOnWeb {
                progress = .form
                return false
            }
            if !isWanted {
                progress = .form
                guard await isSubmitted() else { return false }
            }
            isWanted = false
            if try await submit(query, on: stream) { return true }
        }
    }

    /// - Returns: whether the server took it; if not, ``failure`` says why.
    private func submit(_ query: RegistrationQuery, on stream: RegistrationStream) async throws -> Bool {
        let submission = RegistrationSubmission(query.answered(with: collected()))
        do {
            _ = try await Self.ask(submission, of: stream) { error in
                let refusal = RegistrationError(error)
                return SignInFailure(Wording.failure(refusal), refusal.code == .nameTaken ? .address : nil)
            }
            return true
        } catch let error as SignInFailure {
            failure = error
            return false
        }
    }

    /// - Parameter refusal: what a refusal means to the person; other errors are those of the connection.
    private static func ask<Request: IQRequest>(
        _ request: Request, of stream: RegistrationStream, to receiver: JID? = nil,
        refusal: (ClientError) -> SignInFailure
    ) async throws -> Request.Response {
        let result: Result<Request.Response, ClientError>
        do {
            result = .success(try await stream.request(request, to: receiver))
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

    private func isSubmitted() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: false) }
                wish = continuation
            }
        } onCancel: {
            Task { @MainActor in
                self.wish?.resume(returning: false)
                self.wish = nil
            }
        }
    }

    private func collected() -> [String: [String]] {
        var all = answers
        for field in form?.fields ?? [] where all[field.id] == nil && field.kind != .remark {
            all[field.id] = field.kind == .yesOrNo && field.values.isEmpty ? ["0"] : field.values
        }
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

/// Tells the steps of a connection.
private struct StepReport: SessionExtension {
    let report: @Sendable (ConnectionStep) async -> Void

    func run(in session: Session) async {
        for await batch in session.events(.connection) {
            for case .stateChanged(.connecting(let step)) in batch { await report(step) }
        }
    }
}
