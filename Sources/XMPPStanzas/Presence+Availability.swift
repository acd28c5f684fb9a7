import XMLStreaming

extension Presence {
    static let showName = XMLName("show", XMPPNamespace.client)
    static let statusName = XMLName("status", XMPPNamespace.client)
    static let priorityName = XMLName("priority", XMPPNamespace.client)

    /// How available the sender is; `nil` means plain "available", as does a value that the specification does not
    /// define (RFC 6121 §4.7.2.1).
    public var show: Show? {
        get { payloads.first(Self.showName).flatMap { Show(rawValue: $0.text.trimmed) } }
        set {
            payloads.removeAll(named: Self.showName)
            if let newValue { payloads.append(TextElement(name: Self.showName, text: newValue.rawValue)) }
        }
    }

    /// Availability as a number for sorting: 0 do not disturb, 1 extended away, 2 away, 3 available, 4 wants to chat.
    public var showValue: Int {
        switch show {
        case .doNotDisturb: 0
        case .extendedAway: 1
        case .away: 2
        case nil: 3
        case .chat: 4
        }
    }

    /// The status text that the user wrote, in the default language of the presence (RFC 6121 §4.7.2.2).
    public var status: String? {
        get { payloads.text(Self.statusName) }
        set { payloads.setText(Self.statusName, newValue) }
    }

    /// The maximum length of a status text that is stored for each of many peers, in bytes of UTF-8: several lines on a
    /// screen.
    package static let statusLimit = 2048

    /// The start of ``status``, in whole characters, up to the limit.
    package var shortStatus: String? { status?.prefix(utf8: Self.statusLimit) }

    /// The status text in all its languages.
    public var statuses: LocalizedText {
        get { payloads.texts(Self.statusName, inherited: language) }
        set { payloads.setTexts(Self.statusName, newValue, inherited: language) }
    }

    /// The priority of this resource among those of the account (RFC 6121 §4.7.2.3); 0 if not stated.
    ///
    /// A resource with a negative priority never receives messages addressed to the bare address. A received number
    /// outside −128…127 is clamped; anything that is not a number is ignored.
    public var priority: Int8 {
        get {
            guard let text = payloads.first(Self.priorityName)?.text.trimmed else { return 0 }
            if let number = Int(text) { return Int8(clamping: number) }
            let digits = text.drop { $0 == "-" || $0 == "+" }
            guard !digits.isEmpty, text.count - digits.count <= 1, digits.allSatisfy({ ("0"..."9").contains($0) })
            else {
                return 0
            }
            return text.hasPrefix("-") ? .min : .max
        }
        set {
            payloads.removeAll(named: Self.priorityName)
            if newValue != 0 { payloads.append(TextElement(name: Self.priorityName, text: String(newValue))) }
        }
    }
}

extension String {
    /// The longest prefix of whole characters that fits into this number of bytes of UTF-8.
    fileprivate func prefix(utf8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end > startIndex, String.Index(end, within: self) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }

    /// Without the whitespace that some programs add around a keyword.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
