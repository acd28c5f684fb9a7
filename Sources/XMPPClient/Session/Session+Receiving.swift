import XMLStreaming
import XMPPStanzas

extension Session {
    /// Handles what was received, one after the other.
    func handleInbox() async {
        while !inbox.isEmpty {
            let items = inbox
            inbox = []
            for item in items {
                switch item {
                case .element(let element): emit(.element(element))
                case .stanzas(let elements):
                    if configuration.store != nil {
                        guard await save(received: elements) else { return }
                    }
                    for element in elements { await handle(element) }
                    if configuration.store != nil { unsaved.handledAhead -= elements.count }
                    perform(stream?.stanzasHandled(elements.count, now: clock.now()))
                }
            }
        }
    }

    private func handle(_ element: XMLElement) async {
        let stanza: AnyStanza
        do throws(XMLDecodingError) {
            guard let decoded = try decoder.decode(element) else { return emit(.element(element)) }
            stanza = decoded
        } catch {
            emit(.unreadable(element, error))
            if let rejection = IQ.rejection(of: element) { answer(rejection) }
            return
        }
        if case .iq(let iq) = stanza, iq.requiresResponse, !iq.hasRepeatableID {
            // The answer must repeat the id (RFC 6120 §8.1.3), and nobody gets an answer of the size that it chooses.
            return emit(.filtered(stanza, .incoming))
        }
        guard !interceptors.isEmpty else { return deliver(stanza) }
        if let passed = await intercept(stanza) { deliver(passed) }
    }

    /// Sends an incoming stanza through the chain; `nil` if it does not come out.
    private func intercept(_ received: AnyStanza) async -> AnyStanza? {
        var stanza = received
        for interceptor in interceptors {
            let result = await SessionContext.$interception.withValue(.incoming) {
                await interceptor.willReceive(stanza, in: self)
            }
            switch result {
            case .pass(let passed): stanza = passed
            case .handled: return nil
            case .drop:
                emit(.filtered(stanza, .incoming))
                if case .iq(let iq) = received, let reply = iq.errorReply(StanzaError(.serviceUnavailable)) {
                    answer(reply)
                }
                return nil
            }
        }
        return stanza
    }

    private func deliver(_ stanza: AnyStanza) {
        switch stanza {
        case .message(let message): emit(.message(message))
        case .presence(let presence): emit(.presence(presence))
        case .iq(let iq):
            if iq.requiresResponse {
                emit(.iq(iq))
                route(iq)
            } else if let reply = requests.answered(by: iq) {
                reply.fill(.success(iq))
            } else {
                emit(.iq(iq))
            }
        }
    }

    // MARK: Requests of others

    private func route(_ iq: IQ) {
        switch router.requestReceived(iq) {
        case .unhandled: answer(.error(for: iq, StanzaError(.serviceUnavailable)))
        case .refused: answer(.error(for: iq, StanzaError(.resourceConstraint)))
        case .queued: break
        case .start(let key): spawn { [self] in await work(on: key) }
        }
    }

    /// Answers the requests of one kind until none is left.
    private func work(on key: IQHandler.Key) async {
        while let (iq, handler) = router.next(key) {
            let reply = await handler.reply(to: iq)
            _ = try? await enqueue(.iq(reply))
        }
    }

    /// Sends an answer that the session itself gives.
    func answer(_ reply: IQ) {
        guard reply.hasRepeatableID else { return }
        _ = try? dispatch(.iq(reply))
    }
}

/// What the present task does for a session.
enum SessionContext {
    /// Set while an interceptor looks at a stanza.
    @TaskLocal static var interception: StanzaDirection?
}
