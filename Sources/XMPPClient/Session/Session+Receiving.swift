import XMLStreaming
import XMPPAddress
import XMPPStanzas

extension Session {
    /// Handles the received stanzas one after the other as far as nothing has to be waited for.
    ///
    /// - Returns: Whether all were handled.
    func handleInboxAtOnce() -> Bool {
        guard !connection.inbox.isEmpty else { return true }
        guard configuration.store == nil, interceptors.isEmpty else { return false }
        while !connection.inbox.isEmpty {
            let items = connection.inbox
            connection.inbox = []
            for (index, item) in items.enumerated() {
                switch item {
                case .element(let element): emit(.element(element))
                case .stanzas(let elements):
                    let count = elements.firstIndex { !deliverAtOnce($0) } ?? elements.count
                    handled(count)
                    guard count == elements.count else {
                        let rest = [Connection.Inbound.stanzas(Array(elements[count...]))] + items[(index + 1)...]
                        connection.inbox = rest + connection.inbox
                        return false
                    }
                case .unreadable:
                    connection.inbox = items[index...] + connection.inbox
                    return false
                }
            }
        }
        return true
    }

    /// Delivers a stanza that no interceptor gets, unless it is a request or invalid.
    private func deliverAtOnce(_ element: XMLElement) -> Bool {
        guard let stanza = try? decoder.decode(element) else { return false }
        if case .iq(let iq) = stanza, iq.requiresResponse { return false }
        deliver(response: stanza)
        return true
    }

    /// Handles the received stanzas one after the other.
    func handleInbox() async {
        while !connection.inbox.isEmpty {
            let items = connection.inbox
            connection.inbox = []
            let chain = interceptors
            for item in items {
                switch item {
                case .element(let element): emit(.element(element))
                case .stanzas(let elements):
                    if configuration.store == nil {
                        await intercepting(chain) {
                            for element in elements { await handle(ReceivedStanza(element, by: &decoder), chain) }
                        }
                    } else {
                        let received = elements.map { ReceivedStanza($0, by: &decoder).rememberingDecoded() }
                        guard await save(received: received) else { return }
                        await intercepting(chain) { for stanza in received { await handle(stanza, chain) } }
                    }
                    handled(elements.count)
                case .unreadable(let element):
                    // Nothing of it is stored, but it is counted like the others: the server may forget it.
                    guard await save(unreadable: 1) else { return }
                    await handle(element, chain)
                    handled(1)
                }
            }
        }
    }

    private func handled(_ count: Int) {
        if configuration.store != nil { saving.handled(count) }
        perform(stream?.stanzasHandled(count, now: clock.now()))
    }

    /// Handles a stanza of which only the start tag is known: a request is answered, and our own request fails if this
    /// was its response.
    private func handle(_ element: UnreadableElement, _ chain: [any StanzaInterceptor]) async {
        for interceptor in chain { await interceptor.willSkip(element, in: self) }
        emit(.skipped(element))
        let tag = element.startTag
        if let rejection = IQ.rejection(of: tag) {
            await reject(rejection)
        } else if case .iq(let iq)? = try? decoder.decode(tag), let reply = requests.answered(by: iq) {
            reply.fulfil(
                .failure(ClientError(.unreadableAnswer, "The answer could not be read.", cause: element.reason)))
        }
    }

    private func handle(_ received: ReceivedStanza, _ chain: [any StanzaInterceptor]) async {
        if let error = received.error {
            emit(.unreadable(received.element, error))
            if let rejection = IQ.rejection(of: received.element) { await reject(rejection) }
            return
        }
        guard let stanza = received.stanza else { return emit(.element(received.element)) }
        if case .iq(let iq) = stanza, iq.requiresResponse, !iq.hasRepeatableID {
            // The answer must repeat the id (RFC 6120 §8.1.3), and the sender must not choose the size of the answer.
            return emit(.filtered(stanza, .incoming))
        }
        guard !chain.isEmpty else { return await deliver(stanza) }
        switch await intercept(stanza, chain) {
        case .pass(let passed): await deliver(passed)
        case .handled: break
        case .drop:
            if case .iq(let iq) = stanza { await refuse(iq) }
        }
    }

    /// Handles stanzas while nothing is read: a request that an interceptor made would wait for ever.
    private func intercepting(_ chain: [any StanzaInterceptor], _ handle: () async -> Void) async {
        if chain.isEmpty { return await handle() }
        await SessionContext.$interception.withValue(.incoming, operation: handle)
    }

    /// Passes an incoming stanza through the interceptors.
    private func intercept(_ received: AnyStanza, _ chain: [any StanzaInterceptor]) async -> Interception {
        var stanza = received
        for interceptor in chain {
            let result = await interceptor.willReceive(stanza, in: self)
            switch result {
            case .pass(let passed): stanza = passed
            case .handled: return result
            case .drop:
                emit(.filtered(stanza, .incoming))
                return result
            }
        }
        return .pass(stanza)
    }

    private func deliver(_ stanza: AnyStanza) async {
        guard case .iq(let iq) = stanza, iq.requiresResponse else { return deliver(response: stanza) }
        if observers.isObserved(.iqs) { emit(.iq(iq)) }
        await route(iq)
    }

    /// Delivers a stanza that requires no response.
    private func deliver(response stanza: AnyStanza) {
        switch stanza {
        case .message(let message): if observers.isObserved(.messages) { emit(.message(message)) }
        case .presence(let presence): if observers.isObserved(.presences) { emit(.presence(presence)) }
        case .iq(let iq):
            if let reply = requests.answered(by: iq) {
                reply.fulfil(.success(iq))
            } else if observers.isObserved(.iqs) {
                emit(.iq(iq))
            }
        }
    }

    // MARK: Requests of others

    private func route(_ iq: IQ) async {
        if router.audience(of: iq) == .admitted, !(await isAdmitted(iq.from)) { return await refuse(iq) }
        switch router.requestReceived(iq) {
        case .unhandled: await refuse(iq)
        case .refused: answer(.error(for: iq, StanzaError(.resourceConstraint)))
        case .queued: break
        case .start(let key): jobs.start(on: loop) { [self] in await work(on: key) }
        }
    }

    /// Answers the requests of one kind until the queue is empty.
    private func work(on key: IQHandler.Key) async {
        while let (iq, handler) = router.next(key) {
            let reply = await handler.reply(to: iq)
            _ = try? await enqueue(.iq(reply))
        }
    }

    /// Answers an unreadable request; a stranger gets the response of an absent client.
    private func reject(_ rejection: IQ) async {
        if await isAdmitted(rejection.to) { return answer(rejection) }
        var request = IQ(type: .get, to: rejection.from, id: rejection.id)
        request.from = rejection.to
        await refuse(request)
    }

    /// Answers a request that has no handler.
    ///
    /// Every request must be answered (RFC 6120 §8.2.3), but an answer of our own would reveal to a stranger that this
    /// full address is online. The server answers a request to an address without a client with `service-unavailable`
    /// (RFC 6121 §8.5.3.2.3), some add a text, some repeat the request. A stranger gets exactly that response; the
    /// session determines it once with a request to an address of the account without a client.
    func refuse(_ iq: IQ) async {
        guard iq.requiresResponse else { return }
        if await isAdmitted(iq.from) { return answer(.error(for: iq, StanzaError(.serviceUnavailable))) }
        switch absences.requestReceived(iq) {
        case .answer(let reply): answer(reply)
        case .wait: break
        case .ask(let language): spawn { [self] in await askForAbsence(in: language) }
        }
    }

    private func askForAbsence(in language: String) async {
        let found = await absence(in: language)
        for reply in absences.found(found, in: language) { answer(reply) }
    }

    /// Whether the sender may learn that this session exists. Only the server of the account can omit the sender.
    func isAdmitted(_ sender: JID?) async -> Bool {
        guard let sender else { return true }
        return await mayLearnPresence(sender)
    }

    /// `nil` if the server could not be asked.
    private func absence(in language: String) async -> AbsentAddressReplies.Answer? {
        guard let own = ownAddress,
            let absent = try? JID(local: own.local, domain: own.domain, resource: "absent-\(newID())")
        else { return nil }
        var request = IQ(AbsentAddressProbe(), to: absent)
        request.language = language.isEmpty ? nil : language
        guard let reply = try? await answer(to: request, timeout: AbsentAddressReplies.timeout), let error = reply.error
        else {
            return nil
        }
        return AbsentAddressReplies.Answer(
            error: error, language: reply.language, repeatsRequest: reply.payloads.contains(AbsentAddressProbe.name))
    }

    /// Sends a response of the session itself.
    func answer(_ reply: IQ) {
        guard reply.hasRepeatableID else { return }
        _ = try? dispatch(.iq(reply))
    }
}

/// The work that the current task does for a session.
enum SessionContext {
    /// Set while an interceptor processes a stanza.
    @TaskLocal static var interception: StanzaDirection?
    /// Set while an extension starts.
    ///
    /// An object and not a closure: the optimizer of Swift 6.3 passes no metadata for the type of a closure here, and the
    /// program crashes at each login.
    @TaskLocal static var start: ExtensionStarts.Start?
}
