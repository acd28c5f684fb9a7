internal import ChatModel
internal import FileSharing
internal import ServiceDiscovery
internal import TransportLayer
internal import XMPPAddress
internal import XMPPClient

/// Runs all checks from an address to a working session. A failure skips only the checks that depend on it.
struct DiagnosisRun {
    /// The text that the user typed.
    let text: String
    let settings: DiagnosisSettings
    /// Called with each result as soon as it is known; several checks that were skipped for the same reason come
    /// together.
    let report: ([any DiagnosisCheck]) -> Void

    func run() async -> Diagnosis {
        let start = ContinuousClock.now
        var diagnosis = Diagnosis(subject: text)
        await walk(&diagnosis)
        diagnosis.duration = .now - start
        return diagnosis
    }

    private let afterLogin: [DiagnosisStep] = [.server, .upload, .archive, .clock, .resumption]

    init(text: String, settings: DiagnosisSettings, report: @escaping ([any DiagnosisCheck]) -> Void) {
        self.text = text
        self.settings = settings
        self.report = report
    }

    private func found(_ check: some DiagnosisCheck, _ diagnosis: inout Diagnosis) {
        diagnosis.checks.append(check)
        report([check])
    }

    private func skip(_ steps: some Sequence<DiagnosisStep>, _ reason: Phrase, _ diagnosis: inout Diagnosis) {
        let checks = steps.map { SkippedCheck(step: $0, reason: reason) }
        diagnosis.checks += checks
        report(checks)
    }

    private func walk(_ diagnosis: inout Diagnosis) async {
        let address = AddressCheck(text)
        found(address, &diagnosis)
        guard let account = address.address else {
            return skip(DiagnosisStep.allCases.dropFirst(), Phrase("needs an address"), &diagnosis)
        }
        // HTTPS is independent of the other checks.
        let settings = settings
        async let webSocket = WebSocketCheck.run(at: account, settings)
        let connections = await connect(account, &diagnosis)
        if let check = await webSocket {
            found(check, &diagnosis)
        } else {
            skip([.webSocket], Phrase("a host was given"), &diagnosis)
        }
        let rest = DiagnosisStep.allCases.drop { $0 != .authentication }
        guard account.local != nil else { return skip(rest, Phrase("the address has no account"), &diagnosis) }
        guard let connections else { return skip(rest, Phrase("needs an encrypted connection"), &diagnosis) }
        guard let endpoint = connections.tls.trusted.first(where: { $0.features != nil }) else {
            return skip(rest, Phrase("needs a trusted connection: no password was sent"), &diagnosis)
        }
        guard let login = settings.login else {
            let reason = Phrase("there is no password; give --password-file, or run `hongyan login`")
            return skip(rest, reason, &diagnosis)
        }
        await logIn(login, at: endpoint, offer: connections.stream, &diagnosis)
    }

    /// The checks up to the offered login; `nil` if there is none.
    private func connect(
        _ account: JID, _ diagnosis: inout Diagnosis
    ) async -> (tls: TLSCheck, stream: StreamCheck)? {
        let dns = await DNSCheck.run(at: account, settings)
        found(dns, &diagnosis)
        guard dns.problem == nil else {
            skip([.tcp, .tls, .stream], Phrase("needs the server's address"), &diagnosis)
            return nil
        }
        let tcp = await TCPCheck.run(at: dns, settings)
        found(tcp, &diagnosis)
        guard tcp.problem == nil else {
            skip([.tls, .stream], Phrase("needs a connection"), &diagnosis)
            return nil
        }
        let tls = await TLSCheck.run(at: account, tcp, settings)
        found(tls, &diagnosis)
        guard let stream = StreamCheck(tls) else {
            skip([.stream], Phrase("needs an encrypted connection"), &diagnosis)
            return nil
        }
        found(stream, &diagnosis)
        return (tls, stream)
    }

    private func logIn(
        _ login: ClientConfiguration, at endpoint: TLSCheck.Attempt, offer: StreamCheck, _ diagnosis: inout Diagnosis
    ) async {
        let cutter = LineCutter(endpoint)
        var configuration = login
        configuration.transports = cutter.factory
        configuration.requestTimeout = settings.timeout
        configuration.add { ServiceDiscovery($0) }
        let trust = settings.trust
        configuration.add { session in
            var http = session.http
            http.configuration.trust = trust
            return FileSharing(session, http: http)
        }

        var record = LoginRecord()
        var failure: ClientError?
        do {
            try await Client(configuration).run(from: .connecting) { session in
                let events = session.events(.connection)
                session.connect()
                record = await LoginRecord.collect(from: events)
                guard record.isOnline else { return }
                await checkSession(around: session, record, offer, login, cutter, &diagnosis)
            }
        } catch let error as ClientError {
            failure = error
        } catch {
            failure = ClientError(.cancelled, "\(error)")
        }
        guard !record.isOnline else { return }
        var authentication = AuthenticationCheck(account: "\(login.address.bare)", mechanism: record.mechanism)
        authentication.duration = record.authenticationDuration
        if record.isAuthenticated {
            found(authentication, &diagnosis)
            found(BindingCheck(failure: failure?.streamFailure), &diagnosis)
            return skip(afterLogin, Phrase("needs a login"), &diagnosis)
        }
        authentication.failure = failure?.streamFailure
        authentication.otherFailure =
            failure.map { failure in .wording { Wording.failure(failure, domain: nil) } }
            ?? Phrase("The server closed the connection.")
        found(authentication, &diagnosis)
        skip([.binding] + afterLogin, Phrase("needs a login"), &diagnosis)
    }

    /// The checks in an established session.
    private func checkSession(
        around session: Session, _ record: LoginRecord, _ offer: StreamCheck, _ login: ClientConfiguration,
        _ cutter: LineCutter, _ diagnosis: inout Diagnosis
    ) async {
        let agreement = await session.agreement
        let mechanism = agreement?.mechanism ?? record.mechanism
        var authentication = AuthenticationCheck(account: "\(login.address.bare)", mechanism: mechanism)
        authentication.duration = record.authenticationDuration
        authentication.usesSASL2 = agreement?.usesSASL2 ?? false
        authentication.usesToken = agreement?.usesFAST ?? false
        authentication.binding = mechanism.flatMap {
            AuthenticationCheck.binding(of: $0, on: agreement, offer: offer, credentials: login.credentials)
        }
        found(authentication, &diagnosis)
        found(BindingCheck(address: await session.address, duration: record.bindingDuration), &diagnosis)
        let server = await ServerCheck.run(in: session)
        found(server, &diagnosis)
        found(await UploadCheck.run(in: session, settings), &diagnosis)
        if let features = server.accountFeatures {
            found(ArchiveCheck(accountFeatures: features), &diagnosis)
        } else {
            skip([.archive], Phrase("the account does not report its features"), &diagnosis)
        }
        found(await ClockCheck.run(in: session), &diagnosis)
        found(await ResumptionCheck.run(in: session, cutter, settings), &diagnosis)
    }
}
