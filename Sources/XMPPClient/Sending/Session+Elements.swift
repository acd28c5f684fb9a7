public import XMLStreaming

extension Session {
    /// Sends a top-level element other than a stanza, such as the client state of XEP-0352. It is not acknowledged and
    /// is lost with the connection. Observers get ``SessionEvent/elementSent(_:)`` when it was written.
    ///
    /// - Throws: ``ClientError`` with `notConnected`, `stanzaTooLarge`.
    public func send(element: some XMLEncodable) throws(ClientError) {
        guard isOnline else { throw .notConnected }
        try requireSendable(element)
        if observers.isObserved(.sending) { connection.sentElements.append(XMLElement(element)) }
        takeIntake()
        perform(stream?.sendElement(element, now: clock.now()))
    }

    /// The elements in the outbox, taken together with its bytes.
    func takeSentElements() -> [XMLElement] {
        guard !connection.sentElements.isEmpty else { return [] }
        defer { connection.sentElements = [] }
        return connection.sentElements
    }

    func written(elements: [XMLElement]) {
        for element in elements { emit(.elementSent(element)) }
        if !elements.isEmpty { flushEventsOutsideOfReading() }
    }
}
