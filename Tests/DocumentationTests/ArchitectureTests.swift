import Foundation
import Testing

/// Holds ARCHITECTURE.md to the sources: what it says about imports, platforms, C and purity.
@Suite("Architecture")
struct ArchitectureTests {
    /// One row of the table of modules.
    private struct Row {
        let modules: [String]
        /// What stands in the column "may import".
        let imports: String
    }

    /// The system libraries by the words of the table.
    private static let systemLibraries = [
        "OpenSSL": "COpenSSL", "epoll": "CEpoll", "c-ares": "CCares", "libcurl": "CCurl", "SQLite": "CSQLite",
        "libsecret": "CSecret", "GStreamer": "CGStreamer", "GdkPixbuf": "CGdkPixbuf", "GTK": "CGTK",
        "libqrencode": "CQREncode", "Enchant": "CEnchant",
        "getopt_long": "CGlibc",
    ]

    /// What the page and the sources say, read once for all tests.
    private struct Reading {
        let document: ProjectFile
        let rows: [Row]
        /// The modules that each module imports, and the files that do.
        let imports: [String: [String: [String]]]
        let files: [String: ProjectFile]
    }

    private static let reading = Result { try read() }
    private let document: ProjectFile
    private let rows: [Row]
    private let imports: [String: [String: [String]]]
    /// The Swift files of the sources by their path.
    private let files: [String: ProjectFile]

    init() throws {
        let reading = try Self.reading.get()
        (document, rows, imports, files) = (reading.document, reading.rows, reading.imports, reading.files)
    }

    private static func read() throws -> Reading {
        let document = try ProjectFile("ARCHITECTURE.md")
        let rows = document.lines.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") && !$0.hasPrefix("| module") }
            .compactMap { line -> Row? in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                guard cells.count == 3 else { return nil }
                guard cells[0].hasPrefix("Extensions/") else { return Row(modules: [cells[0]], imports: cells[2]) }
                let names = cells[1].matches(of: /\b[A-Z]\w+/).map { String($0.output) }
                return Row(modules: names, imports: cells[2])
            }
        let folder = ProjectFile.root.appending(path: "Sources").path(percentEncoded: false)
        let statement = /^\s*(?:@\w+(?:\(\w+\))? )*(?:\w+ )?import (?:(?:struct|class|func|enum|protocol) )?(\w+)/
            .anchorsMatchLineEndings()
        var imports: [String: [String: [String]]] = [:]
        var files: [String: ProjectFile] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix(".swift") {
            let parts = path.split(separator: "/").map(String.init)
            let module = parts[0] == "Extensions" ? parts[1] : parts[0]
            let file = try ProjectFile("Sources/\(path)")
            files[path] = file
            for match in file.text.matches(of: statement) {
                imports[module, default: [:]][String(match.output.1), default: []].append(path)
            }
        }
        return Reading(document: document, rows: rows, imports: imports, files: files)
    }

    private var modules: Set<String> { Set(rows.flatMap(\.modules)) }

    /// The modules that a row names, and whether what they import counts, too.
    private func named(in text: String) -> [(name: String, isWithBelow: Bool)] {
        text.matches(of: /\b([A-Z]\w+)( and below)?/).map { (String($0.output.1), $0.output.2 != nil) }
            .filter { modules.contains($0.0) }
    }

    /// What the table lets a module import.
    private func allowed(_ module: String, seen: Set<String> = []) -> Set<String> {
        guard let place = rows.firstIndex(where: { $0.modules.contains(module) }), !seen.contains(module) else {
            return []
        }
        let row = rows[place]
        var result: Set<String> = []
        if row.imports.hasPrefix("everything above") { result = Set(rows[..<place].flatMap(\.modules)) }
        for (name, isWithBelow) in named(in: row.imports) {
            result.insert(name)
            if isWithBelow { result.formUnion(allowed(name, seen: seen.union([module]))) }
        }
        if row.imports.contains(/\bextensions?\b/) {
            result.formUnion(rows.first { $0.modules.count > 1 }?.modules ?? [])
        }
        return result
    }

    @Test("a module imports only what its row lists, and the row lists only what it imports")
    func table() throws {
        #expect(modules.count > 25)
        for row in rows {
            for module in row.modules {
                let actual = Set(imports[module, default: [:]].keys)
                let surplus = actual.intersection(modules).subtracting(allowed(module))
                #expect(surplus.isEmpty, "\(module) imports \(surplus.sorted()), which its row does not list.")
                guard row.modules.count == 1 else { continue }
                for (name, isWithBelow) in named(in: row.imports) where !isWithBelow {
                    #expect(actual.contains(name), "The row of \(module) lists \(name), which it does not import.")
                }
            }
        }
    }

    @Test("a module imports every module that its target lists")
    func targets() throws {
        let manifest = try ProjectFile("Package.swift").text
        let foundation = ["XMLStreaming", "XMPPAddress", "XMPPStanzas", "SASLMechanisms", "XMPPStream"]
        var count = 0
        for match in manifest.matches(of: /(?:library|extensionModule|screenModule)\(\s*"(\w+)",([^)]*)\)/) {
            let module = String(match.output.1)
            guard let used = imports[module] else { continue }
            var listed = Set(match.output.2.matches(of: /"(\w+)"/).map { String($0.output.1) })
            if match.output.2.contains("foundation") { listed.formUnion(foundation) }
            let known = modules.union(Self.systemLibraries.values)
            let surplus = listed.intersection(known).subtracting(used.keys)
            #expect(surplus.isEmpty, "The target of \(module) lists \(surplus.sorted()), which it does not import.")
            count += 1
        }
        #expect(count > 30)
    }

    @Test("a module imports a module of its own row or of a lower one")
    func levels() throws {
        // Rows are ordered: whatever a row may import stands before it, but for another extension.
        for (place, row) in rows.enumerated() where row.modules.count == 1 {
            let before = Set(rows[..<place].flatMap(\.modules))
            for module in row.modules {
                let later = allowed(module).subtracting(before)
                #expect(later.isEmpty, "\(module) may import \(later.sorted()), which stand below it in the table.")
            }
        }
    }

    @Test("a C library is imported only where the table says so")
    func libraries() throws {
        for row in rows {
            let libraries = try Self.systemLibraries.filter { row.imports.contains(try Regex("\\b\($0.key)\\b")) }
            let named = Set(libraries.values)
            for module in row.modules {
                let used = Set(imports[module, default: [:]].keys.filter { $0.wholeMatch(of: /C[A-Z]\w+/) != nil })
                    .intersection(Set(Self.systemLibraries.values))
                #expect(used == named, "\(module) imports \(used.sorted()); its row names \(named.sorted()).")
            }
        }
    }

    @Test("platform-specific modules are imported only where the page says so")
    func platforms() throws {
        let sentence = try #require(document.text.firstMatch(of: /Platform-specific names are used only in ([^.]*)\./))
            .output.1
        let named = Set(sentence.matches(of: /\b[A-Z]\w+/).map { String($0.output) }.filter(modules.contains))
        #expect(named.count > 5)
        for module in modules {
            let files = ["Glibc", "CGlibc", "Musl"].flatMap { imports[module, default: [:]][$0] ?? [] }
            if named.contains(module) { continue }
            #expect(files.isEmpty, "\(module) is not listed: \(files)")
        }
    }

    @Test("pure modules have no C, no I/O, no clock and no randomness")
    func purity() throws {
        let sentence = try #require(document.text.firstMatch(of: /Everything at and below ([^.]*) have no C/)).output.1
        var pure = Set(sentence.matches(of: /\b[A-Z]\w+/).map { String($0.output) })
        for module in pure { pure.formUnion(allowed(module)) }
        #expect(pure.count >= 7)
        let impure = try Regex(
            #"\bDate\(|Clock(\.now|\(\))|\.random\(|RandomNumberGenerator\(\)|\bUUID\(|\bTask ?[{(]|\bTask\.detached|\bprint\(|FileHandle|FileManager"#
        )
        for module in pure.sorted() {
            let others = Set(imports[module, default: [:]].keys).subtracting(pure)
            #expect(others.isSubset(of: ["Synchronization"]), "\(module) imports \(others.sorted()).")
            let folder = ProjectFile.root.appending(path: "Sources/\(module)").path(percentEncoded: false)
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix(".swift") {
                for line in try ProjectFile("Sources/\(module)/\(path)").lines {
                    let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
                    if code.contains(impure) { Issue.record("\(module)/\(path): \(line)") }
                }
            }
        }
    }

    /// Everything that a module imports, directly or not.
    private func closure(of module: String) -> Set<String> {
        var seen: Set<String> = []
        var rest = [module]
        while let next = rest.popLast() {
            for name in imports[next, default: [:]].keys where seen.insert(name).inserted { rest.append(name) }
        }
        return seen
    }

    @Test("no program contains what is for tests, and the tests of a bot need no database")
    func testEquipment() {
        for program in ["hongyan", "hongyan-desktop", "Hongyan", "ChatEngine", "ChatModel", "UserProfile"] {
            let all = closure(of: program)
            #expect(all.count > 5)
            #expect(all.isDisjoint(with: ["ServerSide", "HongyanTesting", "ChatStoreTesting"]), "\(program)")
        }
        #expect(closure(of: "ChatStore").contains("CSQLite"))
        for module in ["Hongyan", "HongyanTesting"] { #expect(!closure(of: module).contains("CSQLite"), "\(module)") }
    }

    @Test("the engine knows no screen, and its façades and services are small, over all their files")
    func engine() throws {
        let folder = ProjectFile.root.appending(path: "Sources/ChatEngine").path(percentEncoded: false)
        var (sizes, declared): ([String: Int], Set<String>) = ([:], [])
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix(".swift") {
            let file = try ProjectFile("Sources/ChatEngine/\(path)")
            #expect(!file.text.contains("MainActor"), "\(path)")
            // A machine without I/O may be longer.
            let limit = file.text.contains("struct HistorySync") ? 600 : 300
            #expect(file.lines.count <= limit, "\(path) has \(file.lines.count) lines.")
            for block in Self.blocks(of: file) {
                sizes[block.type, default: 0] += block.lines
                if !block.isExtension { declared.insert(block.type) }
            }
        }
        #expect(declared.count > 150)
        let facades: Set<String> = ["ChatAccount", "OMEMOProtection", "RoomService"]
        #expect(facades.isSubset(of: declared))
        for type in declared.sorted() where type != "HistorySync" {
            let (size, limit) = (sizes[type, default: 0], facades.contains(type) ? 150 : 300)
            #expect(size <= limit, "\(type) has \(size) lines with all its extensions.")
        }
    }

    /// The types and extensions of a file, from the first line of each to its last brace.
    private static func blocks(of file: ProjectFile) -> [(type: String, isExtension: Bool, lines: Int)] {
        let declaration =
            /^(?:[a-z]+(?:\(\w+\))? |@\w+(?:\([^)]*\))? )*(struct|class|enum|actor|protocol|extension) (\w+)/
        var blocks: [(type: String, isExtension: Bool, lines: Int)] = []
        var rest = file.lines[...]
        while let line = rest.first {
            guard let match = line.firstMatch(of: declaration) else {
                rest.removeFirst()
                continue
            }
            let count = line.hasSuffix("}") ? 1 : (rest.firstIndex(of: "}") ?? rest.endIndex - 1) - rest.startIndex + 1
            blocks.append((String(match.output.2), match.output.1 == "extension", count))
            rest.removeFirst(count)
        }
        return blocks
    }

    /// A type that is written from many files is several types, each with a state of its own. `Wording` has no state: it is
    /// the single place for texts, one file per topic.
    @Test(
        "no type of the chat programs, the models and the automation has more than 300 lines over all its files",
        arguments: ["ChatApp", "TerminalApp", "ChatModel", "Automation"])
    func sizes(module: String) throws {
        let sizes = try Self.linesOfTypes(in: module)
        #expect(sizes.count > 25)
        for (type, lines) in sizes where lines > 300 && type != "Wording" {
            Issue.record("\(type) has \(lines) lines.")
        }
    }

    @Test("texts are quoted with the marks of the user's language", arguments: ["ChatApp", "ChatModel", "TerminalApp"])
    func quotationMarks(in module: String) throws {
        let folder = ProjectFile.root.appending(path: "Sources/\(module)").path(percentEncoded: false)
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix(".swift") {
            for line in try ProjectFile("Sources/\(module)/\(path)").lines where line.contains("“\\(") {
                Issue.record("\(path): \(line)")
            }
        }
    }

    /// The lines of each type of a module: its declaration and all extensions, from the first line to the closing brace.
    private static func linesOfTypes(in module: String) throws -> [String: Int] {
        let declaration = #/^(?:@\w+(?:\([^)]*\))? |[a-z]+ )*(?:struct|class|enum|actor|protocol|extension) (\w+)/#
        let folder = ProjectFile.root.appending(path: "Sources/\(module)").path(percentEncoded: false)
        var sizes: [String: Int] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix(".swift") {
            var open: (type: String, line: Int)?
            for (number, line) in try ProjectFile("Sources/\(module)/\(path)").lines.enumerated() {
                if let (type, first) = open {
                    guard line.hasPrefix("}") else { continue }
                    sizes[type, default: 0] += number - first + 1
                    open = nil
                } else if let match = line.prefixMatch(of: declaration) {
                    let type = String(match.output.1)
                    if line.hasSuffix("}") { sizes[type, default: 0] += 1 } else { open = (type, number) }
                }
            }
        }
        return sizes
    }

    @Test("the session is small: its states are in its machine and in the types that the page names")
    func session() throws {
        let folder = "Sources/XMPPClient"
        let path = ProjectFile.root.appending(path: folder).path(percentEncoded: false)
        for path in try FileManager.default.subpathsOfDirectory(atPath: path) where path.hasSuffix(".swift") {
            let file = try ProjectFile("\(folder)/\(path)")
            let limit = path.hasSuffix("/SessionMachine.swift") ? 600 : 300
            #expect(file.lines.count <= limit, "\(path) has \(file.lines.count) lines.")
        }
        let session = try ProjectFile("\(folder)/Session/Session.swift").text
        // A flag of a session would be a state beside the machine.
        #expect(
            session.contains("public final actor Session {")
                && !session.contains(#/\n {4}(private )?var \w+(: Bool| = (true|false))\b/#))
        let paragraph = try #require(
            document.text.firstMatch(of: /parts of a session that have a state ([^\n]|\n(?!\n))*/))
        let types = paragraph.output.0.matches(of: /`([A-Z]\w+)`/).map { String($0.output.1) }
        #expect(types.count > 8)
        for type in types {
            #expect(
                session.contains("\(type)(") || type.hasPrefix("Connection") || session.contains("\(type)<"), "\(type)")
        }
    }

    /// What the names of folders once did not lead to, each by a word of the code that only its place has.
    private static let finds = [
        ("func may(_ action", "MessageSemantics/Permissions"), ("struct MessageAuthor", "MessageSemantics/Permissions"),
        ("struct MessageIdentity", "MessageSemantics/Identity"), ("enum MentionRule", "MessageSemantics/Mentions"),
        ("enum FileKind", "MessagePayloads/Files"), ("struct ConsistentColor", "MessagePayloads/Styling"),
        ("struct Backoff", "XMPPStream"), ("struct SCRAMClient", "SASLMechanisms"),
        ("struct TrustPolicy", "TransportLayer/Trust"), ("actor WebSocketTransport", "TransportLayer/WebSocket"),
        ("protocol ContentProtection", "MessageSemantics/Protection"),
        ("class OMEMOProtection", "ChatEngine/Protection/OMEMO"),
        ("struct TransferMachine", "Extensions/DirectTransfer"),
        ("struct ModerationRequest", "Extensions/GroupChat"), ("actor Blocking", "Extensions/Blocking"),
        ("actor Roster", "Extensions/Roster"), ("struct Migration", "ChatStore/Schema"),
        ("struct SearchPattern", "ChatStore/Search"), ("struct HistorySync", "ChatEngine/History"),
        ("class TypingAnnouncer", "ChatModel/Composing"), ("struct NotificationPolicy", "ChatModel/Notifications"),
    ]

    @Test("twenty questions of a reader lead to a folder by its name", arguments: finds)
    func finding(word: String, folder: String) throws {
        let places = files.filter { $0.value.text.contains(word + " ") || $0.value.text.contains(word + ":") }.keys
        #expect(!places.isEmpty && places.allSatisfy { $0.hasPrefix(folder + "/") }, "\(word): \(places)")
    }

    @Test("no file of the sources has more than 600 lines")
    func fileSizes() throws {
        #expect(files.count > 500)
        for (path, file) in files { #expect(file.lines.count <= 600, "\(path) has \(file.lines.count) lines.") }
    }

    /// Nothing can inherit from an actor, but without the word the compiler reads its properties through functions, which allocate
    /// a frame for each look at a value that cannot be copied.
    @Test("actors that other modules see are final")
    func finalActors() {
        var count = 0
        for (path, file) in files {
            for line in file.lines where line.firstMatch(of: /^(?:public|package) (?:final )?actor\b/) != nil {
                count += 1
                #expect(line.contains("final"), "\(path): \(line)")
            }
        }
        #expect(count > 15)
    }

    @Test("each event of the negotiation says at most once that it cannot happen")
    func impossibleEvents() throws {
        let text = try ProjectFile("Sources/XMPPStream/StreamNegotiation.swift").text
        let events = text.components(separatedBy: "package mutating func ").dropFirst()
        #expect(events.count == 7)
        for event in events { #expect(event.components(separatedBy: "Self.outOfOrder()").count <= 2) }
    }

    @Test("each place that the page names is there")
    func places() throws {
        let places = document.text.matches(of: /`((?:Sources|Tests|Examples|Fuzz|Benchmarks|Scripts)\/[^`]*)`/)
        #expect(places.count > 20)
        for place in places {
            let path = ProjectFile.root.appending(path: String(place.output.1)).path(percentEncoded: false)
            #expect(FileManager.default.fileExists(atPath: path), "\(place.output.1)")
        }
    }

    @Test("there is no C in the sources but the headers of system libraries")
    func headers() throws {
        let folder = ProjectFile.root.appending(path: "Sources").path(percentEncoded: false)
        let manifest = try ProjectFile("Package.swift").text
        let libraries = Set(manifest.matches(of: /systemLibrary\(\s*name: "(\w+)"/).map { String($0.output.1) })
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let name = path.split(separator: ".").last.map(String.init) ?? ""
            if ["c", "cc", "cpp", "m", "S"].contains(name) { Issue.record("\(path) is not Swift.") }
            guard name == "h" || path.hasSuffix("module.modulemap") else { continue }
            #expect(libraries.contains(String(path.prefix { $0 != "/" })), "\(path)")
        }
        #expect(Set(Self.systemLibraries.values).isSubset(of: libraries))
    }
}
