import Waiting
public import XMPPAddress
public import XMPPStanzas
import XMPPStream

extension Session {
    /// Sends a request and returns the response.
    ///
    ///     let version = try await session.request(SoftwareVersionRequest(), to: address)
    ///
    /// The response is accepted once, and only from the receiver of the request (RFC 6120 §8.1.2.1). Cancelling the
    /// task withdraws the request.
    ///
    /// - Parameters:
    ///   - receiver: `nil` addresses our server on behalf of our account.
    ///   - timeout: By default the one of the configuration.
    /// - Throws: ``ClientError`` with `refused` and the `StanzaError` of the peer, `timedOut`, `unreadableAnswer`,
    ///   `cancelled`, or an error of `send`; if the connection is lost and cannot be resumed, its reason.
    public func request<Request: IQRequest>(
        _ request: Request, to receiver: JID? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Request.Response {
        try await self.request(request, to: receiver, timeout: timeout, whenQueued: {})
    }

    /// Sends a request; the closure is called when the request has its place in the queue, so that stanzas sent by it
    /// follow the request.
    package func request<Request: IQRequest>(
        _ request: Request, to receiver: JID? = nil, timeout: Duration? = nil, whenQueued: @Sendable () -> Void
    ) async throws(ClientError) -> Request.Response {
        try await response(to: IQ(request, to: receiver), of: Request.self, timeout: timeout, whenQueued: whenQueued)
    }

    /// Sends a request stanza and returns the response as a value.
    func response<Request: IQRequest>(
        to iq: IQ, of request: Request.Type, timeout: Duration?, whenQueued: @Sendable () -> Void = {}
    ) async throws(ClientError) -> Request.Response {
        let answer = try await result(of: iq, timeout: timeout, whenQueued: whenQueued)
        do {
            return try Request.Response(payload: answer.payload)
        } catch {
            throw ClientError(.unreadableAnswer, "The answer could not be read.", cause: error).of(iq)
        }
    }

    /// Sends a request stanza and returns the result stanza.
    public func request(_ iq: IQ, timeout: Duration? = nil) async throws(ClientError) -> IQ {
        try await result(of: iq, timeout: timeout, whenQueued: {})
    }

    /// Sends a request stanza and returns the result stanza.
    package func result(
        of iq: IQ, timeout: Duration? = nil, whenQueued: @Sendable () -> Void
    ) async throws(ClientError) -> IQ {
        do throws(ClientError) {
            let answer = try await answer(to: iq, timeout: timeout, whenQueued: whenQueued)
            if answer.isError { throw ClientError(refused: answer.error ?? StanzaError(.undefinedCondition)) }
            return answer
        } catch {
            throw error.of(iq)
        }
    }

    /// Sends a request stanza and returns the response, a result or an error.
    func answer(
        to iq: IQ, timeout: Duration? = nil, whenQueued: @Sendable () -> Void = {}
    ) async throws(ClientError) -> IQ {
        precondition(iq.requiresResponse, "Only get and set are answered.")
        guard SessionContext.interception == nil else {
            throw ClientError(.wouldDeadlock, "An interceptor cannot wait for an answer: nothing is read meanwhile.")
        }
        if machine.sending == .registration,
            !iq.payloads.allSatisfy({ StreamNamespace.isRegistration($0.name.namespace) })
        {
            throw ClientError(.invalidConfiguration, "Before a login only registration can be asked for.")
        }
        var iq = iq
        let id = iq.id ?? newID()
        iq.id = id
        if purpose == .component, iq.from == nil { iq.from = configuration.address }
        guard !requests.contains(id: id) else {
            throw ClientError(.invalidConfiguration, "A request with the same id waits for an answer.")
        }
        let reply = Promise<Result<IQ, ClientError>>()
        let deadline = clock.now().advanced(by: timeout ?? configuration.requestTimeout)
        requests.enter(
            id: id, from: purpose == .component ? iq.from : nil, to: iq.to, deadline: deadline, waiter: reply)
        rearm()
        observers.gate.beginWaitingForPeer()
        defer {
            observers.gate.endWaitingForPeer()
            _ = requests.withdraw(id: id)
        }
        if machine.sending == .registration {
            perform(stream?.sendRegistration(iq, now: clock.now()))
        } else {
            _ = try await enqueue(.iq(iq))
        }
        whenQueued()
        return try await reply.value(cancelled: .failure(.cancelled)).get()
    }
}
