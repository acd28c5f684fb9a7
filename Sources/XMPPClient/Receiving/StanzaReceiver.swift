import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// Handles the received stanzas of a session one after the other: stores them, passes them through the interceptors, matches
/// responses to requests, routes requests, and reports the rest to the observers.
///
/// It is used on the executor of its session only.
final class StanzaReceiver {
    /// What waits to be handled.
    private enum Inbound {
        case stanzas(ArraySlice<XMLElement>)
        /// One of them, which was decoded already.
        case decoded(ReceivedStanza)
        case unreadable(UnreadableElement)
        case element(XMLElement)
    }

    private var inbox: [Inbound] = []
    private var decoder = StanzaDecoder()

    func append(_ stanzas: [XMLElement]) { inbox.append(.stanzas(stanzas[...])) }

    func append(_ element: UnreadableElement) { inbox.append(.unreadable(element)) }

    /// Appends a top-level element other than a stanza.
    func append(_ element: XMLElement) { inbox.append(.element(element)) }

    /// Discards what waits to be handled.
    func clear() { inbox = [] }

    /// Handles what was received as far as nothing has to be waited for.
    ///
    /// - Returns: Whether all was handled.
    func handleAtOnce(in session: isolated Session) -> Bool {
        guard !inbox.isEmpty else { return true }
        guard session.configuration.store == nil else { return false }
        let chain = session.interceptors
        while !inbox.isEmpty {
            let items = inbox
            inbox = []
            for (index, item) in items.enumerated() {
                switch item {
                case .element(let element): session.emit(.element(element))
                case .stanzas(let elements):
                    var count = 0
                    var waiting: ReceivedStanza?
                    for element in elements {
                        let stanza = ReceivedStanza(element, by: &decoder)
                        guard deliverAtOnce(stanza, chain, in: session) else {
                            waiting = stanza
                            break
                        }
                        count += 1
                    }
                    handled(count, in: session)
                    guard let waiting else { continue }
                    inbox =
                        [.decoded(waiting), .stanzas(elements.dropFirst(count + 1))] + items[(index + 1)...] + inbox
                    return false
                case .unreadable, .decoded:
                    inbox = items[index...] + inbox
                    return false
                }
            }
        }
        return true
    }

    /// Delivers a stanza that no interceptor gets, unless it is a request or invalid.
    private func deliverAtOnce(
        _ received: ReceivedStanza, _ chain: [any StanzaInterceptor], in session: isolated Session
    ) -> Bool {
        guard let stanza = received.stanza else { return false }
        if case .iq(let iq) = stanza, iq.requiresResponse { return false }
        guard chain.isEmpty || !chain.concern(received: stanza) else { return false }
        deliver(response: stanza, in: session)
        return true
    }

    /// Handles what was received.
    func handle(in session: isolated Session) async {
        while !inbox.isEmpty {
            let items = inbox
            inbox = []
            let chain = session.interceptors
            for item in items {
                switch item {
                case .element(let element): session.emit(.element(element))
                case .stanzas(let elements):
                    if session.configuration.store == nil {
                        await intercepting(chain, in: session) {
                            for element in elements {
                                let stanza = ReceivedStanza(element, by: &decoder)
                                if deliverAtOnce(stanza, chain, in: session) { continue }
                                await handle(stanza, chain, in: session)
                            }
                        }
                    } else {
                        let received = elements.map { ReceivedStanza($0, by: &decoder).rememberingDecoded() }
                        guard await session.save(received: received) else { return }
                        await intercepting(chain, in: session) {
                            for stanza in received where !deliverAtOnce(stanza, chain, in: session) {
                                await handle(stanza, chain, in: session)
                            }
                        }
                    }
                    handled(elements.count, in: session)
                case .decoded(let stanza):
                    await intercepting(chain, in: session) { await handle(stanza, chain, in: session) }
                    handled(1, in: session)
                case .unreadable(let element):
                    // Nothing of it is stored, but it is counted like the others: the server may forget it.
                    guard await session.save(unreadable: 1) else { return }
                    await handle(element, chain, in: session)
                    handled(1, in: session)
                }
            }
        }
    }

    private func handled(_ count: Int, in session: isolated Session) {
        guard count > 0 else { return }
        if session.configuration.store != nil { session.saving.handled(count) }
        session.perform(session.stream?.stanzasHandled(count, now: session.clock.now()))
    }

    /// Handles a stanza of which only the start tag is known: a request is answered, and our own request fails if this
    /// was its response.
    private func handle(
        _ element: UnreadableElement, _ chain: [any StanzaInterceptor], in session: isolated Session
    ) async {
        for interceptor in chain { await interceptor.willSkip(element, in: session) }
        session.emit(.skipped(element))
        let tag = element.startTag
        if let rejection = IQ.rejection(of: tag) {
            await session.reject(rejection)
        } else if case .iq(let iq)? = try? decoder.decode(tag), let reply = session.requests.answered(by: iq) {
            reply.fulfil(
                .failure(ClientError(.unreadableAnswer, "The answer could not be read.", cause: element.reason)))
        }
    }

    private func handle(
        _ received: ReceivedStanza, _ chain: [any StanzaInterceptor], in session: isolated Session
    ) async {
        if let error = received.error {
            session.emit(.unreadable(received.element, error))
            if let rejection = IQ.rejection(of: received.element) { await session.reject(rejection) }
            return
        }
        guard let stanza = received.stanza else { return session.emit(.element(received.element)) }
        if case .iq(let iq) = stanza, iq.requiresResponse, !iq.hasRepeatableID {
            // The answer must repeat the id (RFC 6120 §8.1.3), and the sender must not choose the size of the answer.
            return session.emit(.filtered(stanza, .incoming))
        }
        guard !chain.isEmpty else { return await deliver(stanza, in: session) }
        switch await intercept(stanza, chain, in: session) {
        case .pass(let passed): await deliver(passed, in: session)
        case .handled: break
        case .drop:
            if case .iq(let iq) = stanza { await session.refuse(iq) }
        }
    }

    /// Handles stanzas while nothing is read: a request that an interceptor made would wait for ever.
    private func intercepting(
        _ chain: [any StanzaInterceptor], in session: isolated Session, _ handle: () async -> Void
    ) async {
        if chain.isEmpty { return await handle() }
        await SessionContext.$interception.withValue(.incoming, operation: handle)
    }

    /// Passes an incoming stanza through the interceptors.
    private func intercept(
        _ received: AnyStanza, _ chain: [any StanzaInterceptor], in session: isolated Session
    ) async -> Interception {
        var stanza = received
        for interceptor in chain where interceptor.concerns(received: stanza) {
            let result = await interceptor.willReceive(stanza, in: session)
            switch result {
            case .pass(let passed): stanza = passed
            case .handled: return result
            case .drop:
                session.emit(.filtered(stanza, .incoming))
                return result
            }
        }
        return .pass(stanza)
    }

    private func deliver(_ stanza: AnyStanza, in session: isolated Session) async {
        guard case .iq(let iq) = stanza, iq.requiresResponse else { return deliver(response: stanza, in: session) }
        if session.observers.isObserved(.iqs) { session.emit(.iq(iq)) }
        await session.route(iq)
    }

    /// Delivers a stanza that requires no response.
    private func deliver(response stanza: AnyStanza, in session: isolated Session) {
        let observers = session.observers
        switch stanza {
        case .message(let message): if observers.isObserved(.messages) { session.emit(.message(message)) }
        case .presence(let presence): if observers.isObserved(.presences) { session.emit(.presence(presence)) }
        case .iq(let iq):
            if let reply = session.requests.answered(by: iq) {
                reply.fulfil(.success(iq))
            } else if observers.isObserved(.iqs) {
                session.emit(.iq(iq))
            }
        }
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
