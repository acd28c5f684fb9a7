public import XMPPStanzas

extension Message {
    /// The body without what is only there for programs that do not know certain payloads (XEP-0428).
    ///
    /// - Parameter understood: The namespaces of the payloads that the program shows in a better way.
    /// - Returns: `nil` if there is no body or nothing of it is left.
    public func body(withoutFallbackFor understood: Set<String>) -> String? {
        text(body, without: understood) { $0.bodyRegions }
    }

    /// The subject without what is only there for programs that do not know certain payloads (XEP-0428).
    public func subject(withoutFallbackFor understood: Set<String>) -> String? {
        text(subject, without: understood) { $0.subjectRegions }
    }

    /// The indications that can be read; one that cannot hides nothing.
    public var fallbackIndications: [FallbackIndication] {
        payloads.compactMap { payload in
            payload.isNamed(FallbackIndication.name) ? try? FallbackIndication(from: payload) : nil
        }
    }

    private func text(
        _ text: String?, without understood: Set<String>,
        regions: (FallbackIndication) -> [FallbackIndication.Region]
    ) -> String? {
        guard let text, payloads.contains(FallbackIndication.name) else { return text }
        let indications = fallbackIndications.filter { $0.purpose.map(understood.contains) ?? false }
        let hidden = indications.flatMap { $0.coversEverything ? [.whole] : regions($0) }
        guard !hidden.isEmpty else { return text }
        let rest = text.removing(hidden)
        return rest.isEmpty ? nil : rest
    }
}

extension String {
    /// The text without these regions, which are counted in code points and may overlap or reach beyond the end.
    func removing(_ regions: [FallbackIndication.Region]) -> String {
        var kept = String.UnicodeScalarView()
        var rest = unicodeScalars[...]
        var position = 0
        for region in regions.sorted(by: { $0.start < $1.start }) {
            let visible = rest.prefix(max(region.start - position, 0))
            kept += visible
            rest = rest[visible.endIndex...]
            position += max(region.start - position, 0)
            guard let end = region.end else { return String(kept) }
            rest = rest.dropFirst(max(end - position, 0))
            position = max(end, position)
        }
        kept += rest
        return String(kept)
    }
}
