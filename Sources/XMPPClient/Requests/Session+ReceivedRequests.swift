import XMPPAddress
import XMPPStanzas

// The requests of others: each gets exactly one response, from its handler or from the session.
extension Session {
    func route(_ iq: IQ) async { route(iq, isAdmitted: await isAdmitted(iq.from)) }

    /// The same if nothing has to be found out; returns whether that is so.
    func routeAtOnce(_ iq: IQ) -> Bool {
        guard let isAdmitted = iq.from.map({ mayLearnPresenceAtOnce($0) }) ?? true else { return false }
        route(iq, isAdmitted: isAdmitted)
        return true
    }

    private func route(_ iq: IQ, isAdmitted: Bool) {
        if router.audience(of: iq) == .admitted, !isAdmitted { return refuse(iq, isAdmitted: false) }
        switch router.requestReceived(iq) {
        case .unhandled: refuse(iq, isAdmitted: isAdmitted)
        case .refused: answer(.error(for: iq, StanzaError(.resourceConstraint)))
        case .queued: break
        case .start(let key): jobs.start(on: loop.taskExecutor) { [self] in await work(on: key) }
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
    func reject(_ rejection: IQ) async {
        if await isAdmitted(rejection.to) { return answer(rejection) }
        var request = IQ(type: .get, to: rejection.from, id: rejection.id)
        request.from = rejection.to
        refuse(request, isAdmitted: false)
    }

    /// Answers a request that has no handler.
    ///
    /// Every request must be answered (RFC 6120 §8.2.3), but an answer of our own would reveal to a stranger that this
    /// full address is online. The server answers a request to an address without a client with `service-unavailable`
    /// (RFC 6121 §8.5.3.2.3), some add a text, some repeat the request. A stranger gets exactly that response; the
    /// session determines it once with a request to an address of the account without a client.
    func refuse(_ iq: IQ) async {
        if iq.requiresResponse { refuse(iq, isAdmitted: await isAdmitted(iq.from)) }
    }

    private func refuse(_ iq: IQ, isAdmitted: Bool) {
        if isAdmitted { return answer(.error(for: iq, StanzaError(.serviceUnavailable))) }
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
        guard let own = machine.address,
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
