/// Generates random documents: well-formed ones, and ones with a few bytes changed.
public struct DocumentGenerator {
    public var random: SeededGenerator
    private var bytes: [UInt8] = []

    public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let names = ["a", "b", "message", "body", "x-y.z", "_", "é", "中文", "query", "stanza-id"]
    private static let prefixes = ["p", "q", "stream", "é"]
    private static let namespaces = ["u", "urn:xmpp:ping", "http://x.example/?a=1&amp;b=2", "é", "&#117;"]
    private static let values = [
        "", "1", "a b", "x\ty\nz", "&amp;", "&lt;&gt;&quot;&apos;", "&#10;&#x9;", "中😀", "\r\n", "]]&gt;", "=>",
    ]
    private static let texts = [
        "hello", " ", "\n", "\r\n", "\r", "&lt;&amp;&gt;", "&#x1F600;", "中文", "😀", "]]", "<![CDATA[<&>]]>",
        "<![CDATA[]]>", "\u{7F}", "&#65;", "'\"", ">", "a longer piece of text that spans several words",
    ]
    /// Fragments that are likely to be errors, or to have a meaning.
    private static let snippets = [
        "<", ">", "/", "=", "'", "\"", "&", ";", ":", "!", "?", "[", "]", "-", " ", "\n", "\r", "\t", "a", "1", "#",
        "x",
        "]]>", "<![CDATA[", "<!--", "-->", "<?", "?>", "<!DOCTYPE a>", "&amp;", "&lt;", "&#", "&#x0;", "&#xFFFE;",
        "&nbsp;", "xmlns", "xmlns:p='u'", " xmlns=''", " xmlns:p=''", "xml:", " xml:lang='en'", "p:", "</a>", "<a>",
        "<a/>", " a='1'", "é", "中", "·", "×", "\u{0}", "\u{1}", "\u{FFFE}", "\u{7F}", "\u{85}",
        " xmlns:xml='http://www.w3.org/XML/1998/namespace'", " xmlns='http://www.w3.org/2000/xmlns/'",
        "<?xml version='1.0'?>", " q:a='1' p:a='1'",
    ].map { Array($0.utf8) }

    public mutating func next() -> [UInt8] {
        bytes.removeAll(keepingCapacity: true)
        if random.percent(5) { put("<?xml version='1.0'?>") }
        if random.percent(5) { put("\n") }
        element(depth: 0, bound: [])
        if random.percent(5) { put(" \r\n") }
        return bytes
    }

    public mutating func nextMutated() -> [UInt8] {
        var document = next()
        for _ in 0..<random.inRange(1...3) where !document.isEmpty {
            let at = random.below(document.count)
            switch random.below(6) {
            case 0: document.remove(at: at)
            case 1: document.removeSubrange(at..<min(document.count, at + random.inRange(1...8)))
            case 2: document[at] = UInt8(truncatingIfNeeded: random.next())
            case 3: document.swapAt(at, random.below(document.count))
            default: document.insert(contentsOf: random.pick(Self.snippets), at: at)
            }
        }
        return document
    }

    private mutating func put(_ string: String) { bytes.append(contentsOf: string.utf8) }

    private mutating func element(depth: Int, bound: [String]) {
        var bound = bound
        var attributes: [(name: String, value: String)] = []
        if random.percent(25) {
            attributes.append(("xmlns", random.percent(10) ? "" : random.pick(Self.namespaces)))
        }
        if random.percent(20) {
            let prefix = random.pick(Self.prefixes)
            bound.append(prefix)
            attributes.append(("xmlns:" + prefix, random.pick(Self.namespaces)))
        }
        if random.percent(10) { attributes.append(("xml:lang", "en")) }
        for _ in 0..<random.below(4) {
            let local = random.pick(Self.names)
            let name = !bound.isEmpty && random.percent(20) ? random.pick(bound) + ":" + local : local
            if !attributes.contains(where: { $0.name == name }) {
                attributes.append((name, random.pick(Self.values)))
            }
        }
        if random.percent(30) { attributes.shuffle(using: &random) }
        let local = random.pick(Self.names)
        let name = !bound.isEmpty && random.percent(30) ? random.pick(bound) + ":" + local : local
        put("<" + name)
        for (name, value) in attributes {
            put(random.percent(90) ? " " : random.pick(["  ", "\n", "\t ", "\r\n"]))
            let quote = random.percent(50) ? "'" : "\""
            put(name + (random.percent(95) ? "=" : " = ") + quote + value + quote)
        }
        if random.percent(5) { put(" ") }
        if random.percent(25) {
            put("/>")
            return
        }
        put(">")
        for _ in 0..<random.below(depth < 5 ? 4 : 1) {
            if random.percent(45), depth < 6 {
                element(depth: depth + 1, bound: bound)
            } else {
                put(random.pick(Self.texts))
            }
        }
        put("</" + name + (random.percent(95) ? ">" : " >"))
    }
}
