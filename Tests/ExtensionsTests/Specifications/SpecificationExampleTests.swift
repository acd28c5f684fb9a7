import Foundation
import Testing
import XMLStreaming

@Suite("The examples of the specifications", .timeLimit(.minutes(5)))
struct SpecificationExampleTests {
    @Test("mean the same after they were read and written", arguments: Specification.all)
    func examples(of specification: Specification) throws {
        for example in specification.examples {
            let context: Comment = "\(specification.name), example \(example.number), \(example.type)"
            let payload = try #require(SpecificationPayload.all[example.type], context)
            do {
                guard let written = try payload.rewrite(example.element) else { continue }
                #expect(normalized(written) == normalized(example.written), context)
                #expect(try payload.rewrite(written) == written, context)
            } catch {
                Issue.record(error, context)
            }
        }
    }

    private func normalized(_ element: XMLElement) -> XMLElement { XMLElement(EditableElement(element).normalized) }

    @Test("are refused with a name that is not theirs", arguments: Specification.all)
    func otherNames(_ specification: Specification) throws {
        for example in specification.examples {
            let payload = try #require(SpecificationPayload.all[example.type])
            for name in [
                XMLName(example.element.localName, "urn:example:other"), XMLName("other", example.element.namespace),
            ] {
                var other = EditableElement(example.element)
                other.name = name
                // An answer is read inside its result, whose content decides.
                guard (try? payload.rewrite(example.element)) != nil else { continue }
                #expect(throws: XMLDecodingError.self, "\(example.type) as \(name)") {
                    try payload.rewrite(XMLElement(other))
                }
            }
        }
    }

    @Test("invalid elements are refused", arguments: Specification.all.filter { !$0.refused.isEmpty })
    func refused(by specification: Specification) throws {
        for example in specification.refused {
            let payload = try #require(SpecificationPayload.all[example.type])
            #expect(throws: XMLDecodingError.self, "\(example.type), \(example.number): \(example.element)") {
                try payload.rewrite(example.element)
            }
        }
    }

    @Test("each type that an extension module reads has an example")
    func everyType() throws {
        let examples = Set(Specification.all.flatMap(\.examples).map(\.type))
        #expect(Set(SpecificationPayload.all.keys).subtracting(examples).sorted() == [])
        #expect(examples.subtracting(SpecificationPayload.all.keys).sorted() == [])
        let known = Set(
            SpecificationPayload.all.keys.map { $0.split(separator: ".").dropFirst().joined(separator: ".") })
        let declaration = /(?:struct|enum) (\w+): (?:\w+, )*(?:XML|Message|Presence|IQ)(?:Payload|Request)\b/
        for source in try Self.sources() {
            for type in source.matches(of: declaration).map({ String($0.output.1) }) where !Self.ownTypes.contains(type)
            {
                #expect(known.contains(type) || type == "Response", "\(type) has no example of its specification.")
            }
        }
    }

    @Test("each specification of an extension module has examples")
    func everySpecification() throws {
        let names = Set(Specification.all.map(\.name))
        let modules = try Set(Self.folders.flatMap { try FileManager.default.contentsOfDirectory(atPath: $0.path()) })
            .union(["MessagePayloads"])
        let table = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        var listed: Set<String> = []
        for row in table.matches(of: /\| \[(XEP-\d{4})\][^\n|]*\|[^\n|]*\|[^\n|]*\| ([^\n|]*) \|/) {
            let name = String(row.output.1)
            guard row.output.2.split(separator: ", ").contains(where: { modules.contains(String($0)) }) else {
                continue
            }
            listed.insert(name)
            #expect(names.contains(name) != (Self.elsewhere[name] != nil), "\(name)")
        }
        #expect(listed.count > 80)
        #expect(Set(Self.elsewhere.keys).subtracting(listed).sorted() == [])
    }

    /// Specifications of extension modules whose examples contain nothing that these modules read, and where they are tested.
    private static let elsewhere = [
        "XEP-0082": "values inside other elements: TimestampTests",
        "XEP-0245": "text of a message: MessageTextTests",
        "XEP-0352": "elements of the stream: ClientStateTests",
        "XEP-0355": "requests of a component: PrivilegeLiveTests",
        "XEP-0384": "elements of OMEMO: OMEMOTests",
        "XEP-0386": "elements of the stream: XMPPStreamTests",
        "XEP-0392": "a computation: ConsistentColorTests",
        "XEP-0426": "positions in a text: FallbackTests",
    ]

    /// What programs store in their own caches.
    private static let ownTypes: Set = [
        "RosterCache", "SubscriptionTokens", "VerifiedCapabilities", "SentCopy", "ReceivedCopy",
    ]

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let folders = [root.appending(path: "Sources/Extensions")]

    private static func sources() throws -> [String] {
        var texts: [String] = []
        for folder in folders + [root.appending(path: "Sources/MessagePayloads")] {
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                if file.pathExtension == "swift" { texts.append(try String(contentsOf: file, encoding: .utf8)) }
            }
        }
        return texts
    }
}
