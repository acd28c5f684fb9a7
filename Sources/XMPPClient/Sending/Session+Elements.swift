public import XMLStreaming

extension Session {
    /// Sends a top-level element other than a stanza, such as the client state of XEP-0352. It is not acknowledged and
    /// is lost with the connection. Observers get ``SessionEvent/elementSent(_:)`` when it was written.
    ///
    /// - Throws: ``ClientError`` with `notConnected`, `stanzaTooLarge`.
    public func send(element: some XMLEncodable) throws(ClientError) {
        guard isOnline else { throw .notConnected }
        try requireSendable(element)
        if observers.isObserved(.sending) { connection.writer.append(XMLElement(element)) }
        sender.takeIntake(in: self)
        perform(stream?.sendElement(element, now: clock.now()))
    }
}
