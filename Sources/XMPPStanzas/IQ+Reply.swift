public import XMLStreaming

extension IQ {
    /// The result that answers a request: addresses swapped, same id (RFC 6120 §8.2.3).
    public static func result(for request: IQ, payload: (any XMLEncodable)? = nil) -> IQ {
        var reply = IQ(type: .result, to: request.from, id: request.id)
        reply.from = request.to
        if let payload { reply.payloads.append(payload) }
        return reply
    }

    /// The error that answers a request: addresses swapped, same id, nothing of the content (RFC 6120 §8.3.1).
    public static func error(for request: IQ, _ error: StanzaError) -> IQ {
        var reply = IQ(type: .error, to: request.from, id: request.id)
        reply.from = request.to
        reply.payloads.append(error)
        return reply
    }

    /// The error that answers this stanza, or `nil` if it is itself an answer: answers are never answered.
    public func errorReply(_ error: StanzaError) -> IQ? {
        requiresResponse ? .error(for: self, error) : nil
    }

    /// The answer to an element that is meant as a request but cannot be read: `bad-request`, or `jid-malformed` for a
    /// bad `to`.
    ///
    /// `nil` if there is nothing to answer or no way to: no IQ stanza, an answer itself, no id, or a sender that is no
    /// address.
    public static func rejection(of element: XMLElement) -> IQ? {
        guard element.isNamed(name), let id = element["id"] else { return nil }
        if let type = element["type"], type == Kind.result.rawValue || type == Kind.error.rawValue { return nil }
        let attributes = element.stanzaAttributes
        var addresses = AddressCache()
        do {
            let sender = try addresses.address(attributes.from, named: "from", of: element)
            let receiver = try? addresses.address(attributes.to, named: "to", of: element)
            let isReceiverBad = receiver == nil && element["to"] != nil
            var reply = IQ(type: .error, to: sender, id: id)
            reply.from = receiver ?? nil
            reply.payloads.append(StanzaError(isReceiverBad ? .jidMalformed : .badRequest))
            return reply
        } catch {
            return nil
        }
    }
}
