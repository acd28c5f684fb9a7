internal import FileSharing
internal import ServiceDiscovery
internal import TransportLayer
internal import XMPPAddress
internal import XMPPClient

/// Walks from an address to a working session and looks at every hop. What fails stops only what needs it.
struct DiagnosisWalk {
    /// What the person typed.
    let text: String
    let settings: DiagnosisSettings
    /// Told about each hop as soon as it is known; several that were skipped for one reason come together.
    let report: ([any DiagnosisHop]) -> Void

    func run() async -> Diagnosis {
        let start = ContinuousClock.now
        var diagnosis = Diagnosis(subject: text)
        await walk(&diagnosis)
        diagnosis.duration = .now - start
        return diagnosis
    }

    private let afterLogin: [DiagnosisPlace] = [.server, .upload, .archive, .clock, .resumption]

    init(text: String, settings: DiagnosisSettings, report: @escaping ([any DiagnosisHop]) -> Void) {
        self.text = text
        self.settings = settings
        self.report = report
    }

    private func found(_ hop: some DiagnosisHop, _ diagnosis: inout Diagnosis) {
        diagnosis.hops.append(hop)
        report([hop])
    }

    private func skip(_ places: some Sequence<DiagnosisPlace>, _ reason: Phrase, _ diagnosis: inout Diagnosis) {
        let hops = places.map { SkippedHop(place: $0, reason: reason) }
        diagnosis.hops += hops
        report(hops)
    }

    private func walk(_ diagnosis: inout Diagnosis) async {
        let address = AddressHop(text)
        found(address, &diagnosis)
        guard let account = address.address else {
            return skip(DiagnosisPlace.allCases.dropFirst(), Phrase("needs an address"), &diagnosis)
        }
        // HTTPS goes its own way, beside the rest.
        let settings = settings
        async let webSocket = WebSocketHop.look(at: account, settings)
        let connections = await connect(account, &diagnosis)
        if let hop = await webSocket {
            found(hop, &diagnosis)
        } else {
            skip([.webSocket], Phrase("a host was named"), &diagnosis)
        }
        let rest = DiagnosisPlace.allCases.drop { $0 != .authentication }
        guard account.local != nil else { return skip(rest, Phrase("the address names no account"), &diagnosis) }
        guard let connections else { return skip(rest, Phrase("needs an encrypted connection"), &diagnosis) }
        guard let place = connections.tls.trusted.first(where: { $0.features != nil }) else {
            return skip(rest, Phrase("needs a trusted connection: no password was sent"), &diagnosis)
        }
        guard let login = settings.login else {
            let reason = Phrase("there is no password; give --password-file, or run `hongyan login`")
            return skip(rest, reason, &diagnosis)
        }
        await logIn(login, at: place, offer: connections.stream, &diagnosis)
    }

    /// The hops up to the offer of a login; `nil` when there is none.
    private func connect(
        _ account: JID, _ diagnosis: inout Diagnosis
    ) async -> (tls: TLSHop, stream: StreamHop)? {
        let dns = await DNSHop.look(at: account, settings)
        found(dns, &diagnosis)
        guard dns.problem == nil else {
            skip([.tcp, .tls, .stream], Phrase("needs the server's address"), &diagnosis)
            return nil
        }
        let tcp = await TCPHop.look(at: dns, settings)
        found(tcp, &diagnosis)
        guard tcp.problem == nil else {
            skip([.tls, .stream], Phrase("needs a connection"), &diagnosis)
            return nil
        }
        let tls = await TLSHop.look(at: account, tcp, settings)
        found(tls, &diagnosis)
        guard let stream = StreamHop(tls) else {
            skip([.stream], Phrase("needs an encrypted connection"), &diagnosis)
            return nil
        }
        found(stream, &diagnosis)
        return (tls, stream)
    }

    private func logIn(
        _ login: ClientConfiguration, at place: TLSHop.Attempt, offer: StreamHop, _ diagnosis: inout Diagnosis
    ) async {
        let cutter = LineCutter(place)
        var configuration = login
        configuration.transports = cutter.factory
        configuration.requestTimeout = settings.patience
        configuration.add { ServiceDiscovery($0) }
        let trust = settings.trust
        configuration.add { FileSharing($0, http: HTTPClient(configuration: .init(trust: trust))) }

        var record = LoginRecord()
        var failure: ClientError?
        do {
            try await Client(configuration).run(from: .connecting) { session in
                record = await LoginRecord.collect(from: session.events(.connection))
                guard record.isOnline else { return }
                await look(around: session, record, offer, login, cutter, &diagnosis)
            }
        } catch let error as ClientError {
            failure = error
        } catch {
            failure = ClientError(.cancelled, "\(error)")
        }
        guard !record.isOnline else { return }
        var authentication = AuthenticationHop(account: "\(login.address.bare)", mechanism: record.mechanism)
        authentication.duration = record.authenticationDuration
        if record.isAuthenticated {
            found(authentication, &diagnosis)
            found(BindingHop(failure: failure?.streamFailure), &diagnosis)
            return skip(afterLogin, Phrase("needs a login"), &diagnosis)
        }
        authentication.failure = failure?.streamFailure
        authentication.otherFailure = failure?.description ?? "no reason"
        found(authentication, &diagnosis)
        skip([.binding] + afterLogin, Phrase("needs a login"), &diagnosis)
    }

    /// The hops of a session that stands.
    private func look(
        around session: Session, _ record: LoginRecord, _ offer: StreamHop, _ login: ClientConfiguration,
        _ cutter: LineCutter, _ diagnosis: inout Diagnosis
    ) async {
        let agreement = await session.agreement
        let mechanism = agreement?.mechanism ?? record.mechanism
        var authentication = AuthenticationHop(account: "\(login.address.bare)", mechanism: mechanism)
        authentication.duration = record.authenticationDuration
        authentication.usesSASL2 = agreement?.usesSASL2 ?? false
        authentication.usesToken = agreement?.usesFAST ?? false
        authentication.binding = mechanism.flatMap {
            AuthenticationHop.binding(of: $0, on: agreement, offer: offer, credentials: login.credentials)
        }
        found(authentication, &diagnosis)
        found(BindingHop(address: await session.address, duration: record.bindingDuration), &diagnosis)
        let server = await ServerHop.look(in: session)
        found(server, &diagnosis)
        found(await UploadHop.look(in: session, settings), &diagnosis)
        if let features = server.accountFeatures {
            found(ArchiveHop(accountFeatures: features), &diagnosis)
        } else {
            skip([.archive], Phrase("the account does not say what it can"), &diagnosis)
        }
        found(await ClockHop.look(in: session), &diagnosis)
        found(await ResumptionHop.look(in: session, cutter, settings), &diagnosis)
    }
}
