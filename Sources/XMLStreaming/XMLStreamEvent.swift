/// An event of a stream parser: the stream header, a complete element, or the closing tag.
public enum XMLStreamEvent: Sendable, Equatable {
    /// The stream header; the element has attributes and no children (RFC 6120 §4.2).
    case streamOpened(XMLElement)
    /// A complete element directly below the stream element, such as a stanza.
    case element(XMLElement)
    /// An element directly below the stream element that was skipped; reported only if
    /// ``XMLStreamParser/skipsUnreadableElements`` is set.
    indirect case unreadable(UnreadableElement)
    /// The end tag of the stream element (RFC 6120 §4.4).
    case streamClosed
}
