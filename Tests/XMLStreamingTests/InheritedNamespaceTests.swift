import Glibc
import Testing

@testable import XMLStreaming

/// Namespaces of the stream header take linear time and are in a record once.
@Suite("Inherited namespaces")
struct InheritedNamespaceTests {
    private static func header(_ namespace: String) -> String { "<s xmlns='c' xmlns:p='\(namespace)' xmlns:q='other'>" }

    /// Uses of the prefix in attributes, elements and both.
    private static func stanza(uses: Int) -> String {
        "<m>" + (0..<uses).map { "<p:a p:b='\($0)' q:b='x'><i p:j=''/></p:a>" }.joined() + "</m>"
    }

    private static func record(_ xml: String, limits: XMLLimits = .default) throws -> [TapeEntry] {
        let reading = Reading(whole: Array(xml.utf8), limits: limits)
        #expect(reading.error == nil)
        return try #require(reading.elements.first).record
    }

    @Test("an inherited namespace is in a record once, however often it is used")
    func once() throws {
        let namespace = String(repeating: "n", count: 1000)
        for uses in [1, 1000] {
            let xml = Self.stanza(uses: uses)
            let record = try Self.record(Self.header(namespace) + xml)
            // 1 entry for `m`; each use has 2 elements and 3 attributes with a namespace; 2 namespaces, 3 of the header.
            let entries = 1 + uses * 8 + 2 + 2
            #expect(record.count <= entries + (xml.utf8.count + 1000 + 5 + 1) / TapeEntry.size + 1)
            let element = XMLElement(record: record, index: TapeEntry.rootIndex)
            #expect(element.children.allSatisfy { $0.namespace == namespace })
            #expect(element.firstChild?.attribute(XMLName("b", namespace)) == "0")
            #expect(element.firstChild?.attribute(XMLName("b", "other")) == "x")
        }
    }

    @Test("the time grows with the number of uses, not with its square")
    func linear() throws {
        func work(_ uses: Int) throws -> Double {
            let bytes = Array((Self.header("n") + Self.stanza(uses: uses)).utf8)
            var best = Double.infinity
            for _ in 0..<3 {
                var before = timespec()
                var after = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before)
                let reading = Reading(whole: bytes)
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after)
                #expect(reading.elements.count == 1)
                best = min(best, Double(after.tv_sec - before.tv_sec) * 1e9 + Double(after.tv_nsec - before.tv_nsec))
            }
            return best
        }
        // 16 times as much: linear is 16, quadratic 256.
        let few = try work(500)
        let many = try work(8000)
        #expect(many < few * 64)
    }

    @Test("each namespace has a size limit, and so have all namespaces of the header together")
    func limits() {
        var limits = XMLLimits.beforeAuthentication
        limits.namespaceBytes = 20
        let fits = String(repeating: "n", count: 14)
        let reading = Reading(whole: Array(Self.header(fits).utf8), limits: limits)
        #expect(reading.error == nil && reading.events.count == 1)
        for header in [Self.header(fits + "n"), "<s xmlns='\(fits)1234567'>", "<s xmlns:p='\(fits)1234567'>"] {
            #expect(Reading(whole: Array(header.utf8), limits: limits).error?.code == .namespaceTooLong)
        }
    }

    @Test("the bytes of an inherited namespace count against the size of the element")
    func counted() {
        var limits = XMLLimits.default
        limits.elementBytes = 500
        let header = Self.header(String(repeating: "n", count: 300))
        #expect(Reading(whole: Array((header + "<a><p:b/></a>").utf8), limits: limits).error == nil)
        let padded = header + "<a>" + String(repeating: "x", count: 200) + "<p:b/></a>"
        #expect(Reading(whole: Array(padded.utf8), limits: limits).error?.code == .elementTooLarge)
    }

    @Test("two prefixes of one namespace are one entry, whichever of them the header declares")
    func identities() {
        for tag in [
            "<a xmlns:r='other' r:k='' q:k=''/>", "<a xmlns:r='other'><b xmlns:t='other' r:k='' t:k=''/></a>",
            "<a xmlns:r='new'><b xmlns:t='new' r:k='' t:k=''/></a>",
        ] {
            let reading = Reading(whole: Array((Self.header("n") + tag).utf8))
            #expect(reading.error?.code == .duplicateExpandedName)
        }
        let reused = "<a><b xmlns:r='x' xmlns:t='y' r:k='' t:k=''/><b xmlns:t='x' xmlns:r='y' r:k='' t:k=''/></a>"
        #expect(Reading(whole: Array((Self.header("n") + reused).utf8)).elements.count == 1)
    }
}
