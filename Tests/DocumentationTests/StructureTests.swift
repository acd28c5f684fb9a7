import Foundation
import Testing

@Suite("Structure of the project")
struct StructureTests {
    /// The library modules in Package.swift, without those of measurements.
    private static func moduleNames() throws -> [String] {
        let manifest = try ProjectFile("Package.swift").text
        let libraries = manifest.matches(of: /(?:library|extensionModule|screenModule)\(\s*"([A-Za-z]+)"/)
        return libraries.map { String($0.output.1) }.filter {
            !["StanzaCorpus", "SampleMedia", "CommandLine"].contains($0)
        }
    }

    @Test(
        "S0-17, S3-1: every module is in the documents",
        arguments: ["ARCHITECTURE.md", "README.md", "README.zh-CN.md"])
    func modules(path: String) throws {
        let modules = try Self.moduleNames()
        #expect(modules.count > 10)
        let rows = try ProjectFile(path).lines.filter { $0.hasPrefix("| ") }
        for module in modules {
            #expect(rows.contains { $0.contains(module) }, "\(path) says nothing about \(module).")
        }
    }

    @Test("the reference on the web has every module that a product of its own or the umbrella offers")
    func reference() throws {
        let manifest = try ProjectFile("Package.swift").text
        let extensions = manifest.matches(of: /extensionModule\(\s*"([A-Za-z]+)"/).map { String($0.output.1) }
        let products = manifest.matches(of: /\.library\(name: "([A-Za-z]+)"/).map { String($0.output.1) }
        let listed = try ProjectFile(".spi.yml").lines.compactMap { $0.firstMatch(of: /^ +- ([A-Za-z]+)$/)?.output.1 }
        #expect(extensions.count > 12 && products.count > 8)
        #expect(Set(extensions + products).isSubset(of: listed.map(String.init)))
        #expect(Set(listed).count == listed.count)
    }

    @Test("every module has a page")
    func pages() throws {
        for module in try Self.moduleNames() {
            let folders = ["Sources", "Sources/Extensions"]
            let page = folders.compactMap { try? ProjectFile("\($0)/\(module)/\(module).docc/\(module).md") }.first
            #expect(try #require(page, "\(module) has none.").text.hasPrefix("# ``\(module)``\n"))
        }
    }

    @Test("S1-3: Scripts/packages installs the system libraries of Package.swift")
    func libraries() throws {
        let manifest = try ProjectFile("Package.swift").text
        let script = try ProjectFile("Scripts/packages").text
        let packages = manifest.matches(of: /\.apt\(\[([^\]]+)\]\)/).flatMap { match in
            match.output.1.matches(of: /"([^"]+)"/).map { String($0.output.1) }
        }
        #expect(packages.count > 5)
        for package in packages { #expect(script.contains(" \(package)"), "\(package) is not installed.") }
    }

    /// A file that imports both needs `Module.Type`, which Swift cannot parse if the module contains a type with the
    /// name of the module.
    @Test("no two modules have a public type of the same name")
    func twins() throws {
        let folder = ProjectFile.root.appending(path: "Sources").path(percentEncoded: false)
        let declaration =
            /^(?:public|package) (?:final |indirect )*(?:struct|class|enum|actor|protocol|typealias) (\w+)/
            .anchorsMatchLineEndings()
        var modules: [String: Set<String>] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix(".swift") {
            let parts = path.split(separator: "/")
            let module = String(parts[0] == "Extensions" ? parts[1] : parts[0])
            for match in try ProjectFile("Sources/\(path)").text.matches(of: declaration) {
                modules[String(match.output.1), default: []].insert(module)
            }
        }
        #expect(modules.count > 500)
        let twins = modules.filter { $0.value.count > 1 }
        for (name, owners) in twins.sorted(by: { $0.key < $1.key }) {
            Issue.record("\(name) is declared in \(owners.sorted().joined(separator: " and ")).")
        }
    }

    /// A group keeps what its finished children returned until somebody asks for it, so a queue that ran in one grew for ever.
    @Test("a task group that gets children in a loop that waits does not keep the finished ones")
    func taskGroups() throws {
        let folder = ProjectFile.root.appending(path: "Sources").path(percentEncoded: false)
        func indentation(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }
        var found = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix(".swift") {
            let lines = try ProjectFile("Sources/\(path)").lines
            for (number, line) in lines.enumerated() where line.contains(/with(Throwing)?TaskGroup\b/) {
                found += 1
                let body = lines[(number + 1)...].prefix { $0.isEmpty || indentation($0) > indentation(line) }
                var (loop, adds) = (Int.max, false)
                for inner in body where !inner.isEmpty {
                    if indentation(inner) <= loop { loop = .max }
                    if inner.contains("addTask"), loop < .max { adds = true }
                    if inner.contains(#/^ *(while|for (try )?await) /#), loop == .max { loop = indentation(inner) }
                }
                let takes = body.contains { $0.contains(/group\.next|in group\b/) }
                #expect(takes || !adds, "\(path):\(number + 1)")
            }
        }
        #expect(found > 10)
    }

    @Test("every fuzzer lists the modules with which it is built")
    func fuzzers() throws {
        let folder = ProjectFile.root.appending(path: "Fuzz").path(percentEncoded: false)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix("Fuzzer") }
        #expect(!names.isEmpty)
        for name in names {
            let modules = try ProjectFile("Fuzz/\(name)/modules").lines.filter { !$0.isEmpty }
            let known = try Self.moduleNames()
            // A line is a module, or a name and the folder of a part of one.
            func isKnown(_ line: some StringProtocol) -> Bool {
                let parts = line.split(separator: " ")
                guard parts.count == 2 else { return known.contains(String(line)) }
                let folder = ProjectFile.root.appending(path: "Sources/\(parts[1])").path(percentEncoded: false)
                return FileManager.default.fileExists(atPath: folder)
            }
            #expect(!modules.isEmpty && modules.allSatisfy { isKnown($0) }, "\(name): \(modules)")
        }
    }

    @Test("S3-3: an example needs one import of the library")
    func imports() throws {
        let folder = ProjectFile.root.appending(path: "Examples").path(percentEncoded: false)
        let allowed: Set<String> = ["import Foundation", "import Hongyan", "import SampleMedia"]
        var programs: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix(".swift") {
            // A package of its own, whose programs have a test of their own.
            guard !path.hasPrefix("Programs/") else { continue }
            let imports = try ProjectFile("Examples/\(path)").lines.filter { $0.contains(#/^(@\w+ )?(\w+ )?import /#) }
            #expect(allowed.isSuperset(of: imports.map(String.init)), "\(path): \(imports)")
            if imports.contains("import Hongyan") { programs.insert(String(path.prefix { $0 != "/" })) }
        }
        #expect(programs == ["ChatManager", "EchoBot", "FirstSteps", "Gateway", "Goose", "RosterDump", "SendMessage"])
    }

    @Test("the umbrella exports every module of the product except Cryptography, which no public interface uses")
    func umbrella() throws {
        let manifest = try ProjectFile("Package.swift").text
        let extensions = manifest.matches(of: /extensionModule\(\s*"([A-Za-z]+)"/).map { String($0.output.1) }
        let product = try #require(manifest.firstMatch(of: /name: "Hongyan",\s*targets: \[([^\]]+)\]/)).output.1
        let others = product.matches(of: /"([A-Za-z]+)"/).map { String($0.output.1) }
        let exports = try ProjectFile("Sources/Hongyan/Hongyan.swift").lines.filter { $0.hasPrefix("@_exported") }
        let expected = Set(extensions + others).subtracting(["Hongyan", "Cryptography"])
        #expect(expected.count > 15)
        #expect(Set(exports.compactMap { $0.split(separator: " ").last.map(String.init) }) == expected)
    }
}
