import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// What is known of the server's answer for an address that no client is bound to.
enum Absence {
    /// The server is being asked; these requests wait for it.
    case asking([IQ])
    case known(Answer)

    struct Answer {
        var error = StanzaError(.serviceUnavailable)
        var language: String?
        /// Whether the answer repeats the payload of the request.
        var repeatsRequest = false
    }

    /// How many requests of strangers wait at most. More come from a flood, whose sender is owed nothing.
    static let waitingLimit = 64
    /// In how many languages the server is asked.
    static let languageLimit = 8
    /// How large a payload is repeated, in bytes: what each server takes (RFC 6120 §13.12).
    static let repetitionLimit = 8000
    /// How long the account's server may take to answer.
    static let timeout = Duration.seconds(10)
}

extension Session {
    /// Answers a request that nobody handles.
    ///
    /// A request must be answered (RFC 6120 §8.2.3), but an answer of its own would tell a stranger that this full address is
    /// online: the server answers a request to an address that no client is bound to with `service-unavailable` (RFC 6121
    /// §8.5.3.2.3), some with a text, some with the request repeated. So a stranger gets exactly that answer, as this
    /// server writes it, which is found out once by a request to an address of the account that nobody has.
    func refuse(_ iq: IQ) async {
        guard iq.requiresResponse else { return }
        if await isAdmitted(iq.from) { return answer(.error(for: iq, StanzaError(.serviceUnavailable))) }
        var language = iq.language ?? ""
        if absences[language] == nil, absences.count >= Absence.languageLimit { language = "" }
        switch absences[language] {
        case .known(let absence): answer(absence.reply(to: iq))
        case .asking(let waiting):
            if waiting.count < Absence.waitingLimit { absences[language] = .asking(waiting + [iq]) }
        case nil:
            absences[language] = .asking([iq])
            spawn { [self, language] in await askForAbsence(in: language) }
        }
    }

    /// Whether the sender may learn that this session is there. Only the account's server can leave the sender out.
    func isAdmitted(_ sender: JID?) async -> Bool {
        guard let sender else { return true }
        return await mayLearnPresence(sender)
    }

    private func askForAbsence(in language: String) async {
        let found = await absence(in: language)
        guard case .asking(let waiting) = absences[language] else { return }
        absences[language] = found.map { .known($0) }
        for iq in waiting { answer((found ?? Absence.Answer()).reply(to: iq)) }
    }

    /// `nil` if the server could not be asked.
    private func absence(in language: String) async -> Absence.Answer? {
        guard let own = ownAddress,
            let nobody = try? JID(local: own.local, domain: own.domain, resource: "absent-\(identifiers.next())")
        else { return nil }
        var request = IQ(AbsenceRequest(), to: nobody)
        request.language = language.isEmpty ? nil : language
        guard let reply = try? await answer(to: request, timeout: Absence.timeout), let error = reply.error else {
            return nil
        }
        return Absence.Answer(
            error: error, language: reply.language, repeatsRequest: reply.payloads.contains(AbsenceRequest.name))
    }
}

extension Absence.Answer {
    func reply(to request: IQ) -> IQ {
        var reply = IQ(type: .error, to: request.from, id: request.id)
        reply.from = request.to
        reply.language = language
        if repeatsRequest, let payload = request.payload {
            var writer = XMLWriter()
            payload.encode(to: &writer)
            if writer.bytes.count <= Absence.repetitionLimit { reply.payloads.append(payload) }
        }
        reply.payloads.append(error)
        return reply
    }
}

/// A ping (XEP-0199), here to an address that nobody has.
private struct AbsenceRequest: IQRequest {
    typealias Response = EmptyResponse
    static let name = XMLName("ping", "urn:xmpp:ping")

    init() {}
    init(from element: XMLElement) throws(XMLDecodingError) { try element.requireName(Self.name) }
    func encode(to writer: inout XMLWriter) { writer.element(Self.name) }
}
