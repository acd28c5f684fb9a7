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
        /// One of them, with which something has to be waited for.
        case undecided(Undecided)
        case unreadable(UnreadableElement)
        case element(XMLElement)
    }

    /// A stanza after what could be done with it at once.
    private enum Undecided {
        /// It is invalid.
        case invalid(ReceivedStanza)
        /// The next interceptor of the chain waits for something.
        case intercepted(AnyStanza, rest: ArraySlice<any StanzaInterceptor>)
        /// A request that passed the interceptors and has no answer yet.
        case request(IQ)
        /// A request that an interceptor dropped.
        case refused(IQ)
    }

    private var inbox: [Inbound] = []
    private var decoder = StanzaDecoder()

    func append(_ stanzas: [XMLElement]) { append(.stanzas(stanzas[...])) }

    func append(_ element: UnreadableElement) { append(.unreadable(element)) }

    /// Appends a top-level element other than a stanza.
    func append(_ element: XMLElement) { append(.element(element)) }

    private func append(_ item: Inbound) {
        var all = exchange(&inbox, with: [])
        all.append(item)
        inbox = all
    }

    /// Discards what waits to be handled.
    func clear() { inbox = [] }

    /// Handles what was received as far as nothing has to be waited for.
    ///
    /// - Returns: Whether all was handled.
    func handleAtOnce(in session: isolated Session) -> Bool {
        guard !inbox.isEmpty else { return true }
        guard !session.isStored else { return false }
        let chain = session.interceptors[...]
        while !inbox.isEmpty {
            let items = inbox
            inbox = []
            for (index, item) in items.enumerated() {
                switch item {
                case .element(let element): session.emit(.element(element))
                case .stanzas(let elements):
                    var count = 0
                    var undecided: Undecided?
                    for element in elements {
                        undecided = handleAtOnce(ReceivedStanza(element, by: &decoder), chain, in: session)
                        if undecided != nil { break }
                        count += 1
                    }
                    handled(count, in: session)
                    guard let undecided else { continue }
                    inbox =
                        [.undecided(undecided), .stanzas(elements.dropFirst(count + 1))] + items[(index + 1)...] + inbox
                    return false
                case .unreadable, .undecided:
                    inbox = items[index...] + inbox
                    return false
                }
            }
        }
        return true
    }

    /// Handles a stanza as far as nothing has to be waited for; returns what remains, `nil` if it is handled.
    private func handleAtOnce(
        _ received: ReceivedStanza, _ chain: ArraySlice<any StanzaInterceptor>, in session: isolated Session
    ) -> Undecided? {
        guard let stanza = received.stanza else { return .invalid(received) }
        if case .iq(let iq) = stanza, iq.requiresResponse, !iq.hasRepeatableID {
            // The answer must repeat the id (RFC 6120 §8.1.3), and the sender must not choose the size of the answer.
            session.emit(.filtered(stanza, .incoming))
            return nil
        }
        return passAtOnce(stanza, chain, in: session)
    }

    /// Passes a stanza through the interceptors and delivers it, as far as nothing has to be waited for.
    private func passAtOnce(
        _ received: AnyStanza, _ chain: ArraySlice<any StanzaInterceptor>, in session: isolated Session
    ) -> Undecided? {
        var stanza = received
        for index in chain.indices where chain[index].concerns(received: stanza) {
            switch chain[index].decide(received: stanza, in: session) {
            case nil: return .intercepted(stanza, rest: chain[index...])
            case .pass(let passed)?: stanza = passed
            case .handled?: return nil
            case .drop?: return dropped(stanza, in: session)
            }
        }
        if case .iq(let iq) = stanza, iq.requiresResponse {
            if session.observers.isObserved(.iqs) { session.emit(.iq(iq)) }
            return session.routeAtOnce(iq) ? nil : .request(iq)
        }
        deliver(stanza, in: session)
        return nil
    }

    /// An interceptor has dropped a stanza.
    private func dropped(_ stanza: AnyStanza, in session: isolated Session) -> Undecided? {
        session.emit(.filtered(stanza, .incoming))
        if case .iq(let iq) = stanza { return .refused(iq) }
        return nil
    }

    /// Handles what was received.
    func handle(in session: isolated Session) async {
        while !inbox.isEmpty {
            let items = inbox
            inbox = []
            let chain = session.interceptors[...]
            for item in items {
                switch item {
                case .element(let element): session.emit(.element(element))
                case .stanzas(let elements):
                    if !session.isStored {
                        await intercepting(chain, in: session) {
                            for element in elements {
                                await handle(ReceivedStanza(element, by: &decoder), chain, in: session)
                            }
                        }
                    } else {
                        let received = elements.map { ReceivedStanza($0, by: &decoder).rememberingDecoded() }
                        guard await session.save(received: received) else { return }
                        await intercepting(chain, in: session) {
                            for stanza in received { await handle(stanza, chain, in: session) }
                        }
                    }
                    handled(elements.count, in: session)
                case .undecided(let stanza):
                    await intercepting(chain, in: session) { await complete(stanza, in: session) }
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
        if session.isStored { session.saving.handled(count) }
        let actions = session.stream?.stanzasHandled(count, now: session.clock.now()) ?? []
        // What the stanzas have led to is settled after the read, as its deadlines are.
        if !actions.isEmpty || !session.connection.reader.isInTurn { session.perform(actions) }
    }

    /// Handles a stanza of which only the start tag is known: a request is answered, and our own request fails if this
    /// was its response.
    private func handle(
        _ element: UnreadableElement, _ chain: ArraySlice<any StanzaInterceptor>, in session: isolated Session
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
        _ received: ReceivedStanza, _ chain: ArraySlice<any StanzaInterceptor>, in session: isolated Session
    ) async {
        if let undecided = handleAtOnce(received, chain, in: session) { await complete(undecided, in: session) }
    }

    /// Completes the handling of a stanza.
    private func complete(_ stanza: Undecided, in session: isolated Session) async {
        switch stanza {
        case .invalid(let received):
            guard let error = received.error else { return session.emit(.element(received.element)) }
            session.emit(.unreadable(received.element, error))
            if let rejection = IQ.rejection(of: received.element) { await session.reject(rejection) }
        case .intercepted(let stanza, let rest):
            if let undecided = await intercept(stanza, rest, in: session) { await complete(undecided, in: session) }
        case .request(let iq): await session.route(iq)
        case .refused(let iq): await session.refuse(iq)
        }
    }

    /// Passes a stanza to the first interceptor, which waits for something, and then to the others.
    private func intercept(
        _ stanza: AnyStanza, _ chain: ArraySlice<any StanzaInterceptor>, in session: isolated Session
    ) async -> Undecided? {
        guard let first = chain.first else { return nil }
        switch await first.willReceive(stanza, in: session) {
        case .pass(let passed): return passAtOnce(passed, chain.dropFirst(), in: session)
        case .handled: return nil
        case .drop: return dropped(stanza, in: session)
        }
    }

    /// Handles stanzas while nothing is read: a request that an interceptor made would wait for ever.
    private func intercepting(
        _ chain: ArraySlice<any StanzaInterceptor>, in session: isolated Session, _ handle: () async -> Void
    ) async {
        if chain.isEmpty { return await handle() }
        await SessionContext.$interception.withValue(.incoming, operation: handle)
    }

    /// Delivers a stanza that requires no response.
    private func deliver(_ stanza: AnyStanza, in session: isolated Session) {
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
