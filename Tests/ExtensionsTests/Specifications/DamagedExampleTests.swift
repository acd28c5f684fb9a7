import Testing
import XMLStreaming

/// Each example is damaged in one place in every way that a faulty or hostile program could: what is read then is refused, or is
/// a value that can be written and read again.
@Suite("Damaged examples of the specifications", .timeLimit(.minutes(10)))
struct DamagedExampleTests {
    @Test("are refused or read as something that can be written", arguments: Specification.all)
    func damaged(_ specification: Specification) throws {
        for example in specification.examples {
            let payload = try #require(SpecificationPayload.all[example.type])
            let all = EditableElement(example.element).damaged()
            for index in stride(from: 0, to: all.count, by: max(all.count / Self.limit, 1)) {
                let damaged = all[index]
                let element = XMLElement(damaged)
                guard let written = try? payload.rewrite(element) else { continue }
                do {
                    let again = try payload.rewrite(written)
                    #expect(again == written, "\(example.type) from \(shortened(element))")
                } catch {
                    Issue.record(error, "\(example.type) from \(shortened(element)) writes \(shortened(written))")
                }
            }
        }
    }

    /// How many changes of one example are tried; of the largest forms not every one.
    private static let limit = 300

    private func shortened(_ element: XMLElement) -> String { String(element.description.prefix(600)) }
}

extension EditableElement {
    /// What may stand instead of a value.
    private static let values = [
        "", " ", "@", "a@b@c", "-1", "0", "1.5", "18446744073709551616", "2026-13-45T99:99:99Z", "true", "\u{202E}",
        "\u{1F98A}",
        String(repeating: "x", count: 5_000),
    ]

    /// The element with one change in it: an attribute missing or with another value, a child missing, twice, or of another
    /// namespace, another text.
    func damaged() -> [EditableElement] {
        var all: [EditableElement] = []
        for index in attributes.indices {
            var copy = self
            copy.attributes.remove(at: index)
            all.append(copy)
            for value in Self.values {
                copy = self
                copy.attributes[index].value = value
                all.append(copy)
            }
        }
        for index in content.indices {
            var copy = self
            let node = copy.content.remove(at: index)
            all.append(copy)
            switch node {
            case .element(let child):
                copy.content.insert(contentsOf: [node, node], at: index)
                all.append(copy)
                var other = child
                other.name = XMLName(child.name.local, "urn:example:other")
                copy = self
                copy.content[index] = .element(other)
                all.append(copy)
                for change in child.damaged() {
                    copy.content[index] = .element(change)
                    all.append(copy)
                }
            case .text:
                for value in Self.values {
                    copy = self
                    copy.content[index] = .text(value)
                    all.append(copy)
                }
            }
        }
        if content.isEmpty {
            for value in Self.values.dropFirst() {
                var copy = self
                copy.content = [.text(value)]
                all.append(copy)
            }
        }
        return all
    }
}
