import Foundation
import Testing

@Suite("The contents of the documents")
struct ReadMeTests {
    /// What fits on a screen together with its explanation.
    private static let longestFirstExample = 15
    private static let longestExample = 60

    @Test("the code in the README is the compiled example", arguments: ["README.md", "README.zh-CN.md"])
    func example(path: String) throws {
        let example = try ProjectFile("Examples/FirstSteps/main.swift").text
        #expect(try ProjectFile(path).codeBlocks("swift").first == example)
        #expect(example.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= Self.longestFirstExample)
    }

    @Test(
        "the code about tests of bots is compiled and run",
        arguments: [
            "Documentation/BotTests.md", "Sources/HongyanTesting/HongyanTesting.docc/HongyanTesting.md",
        ])
    func botTests(path: String) throws {
        let tests = try ProjectFile("Tests/HongyanTestingTests/BotTests.swift").text
        let blocks = try ProjectFile(path).codeBlocks("swift")
        #expect(blocks.count == 3)
        for block in blocks { #expect(tests.contains("\n" + block), "\(block)") }
        // The first is the bot, the second its test: ten lines within its braces and attributes.
        #expect(blocks.count == 3 && blocks[1].split(separator: "\n").count <= 10)
    }

    @Test(
        "the code of the tutorial is that of its program, which is as short as it says",
        arguments: ["Documentation/Tutorial.md", "Documentation/Tutorial.zh-CN.md"])
    func tutorial(path: String) throws {
        let sources = try ["main", "ChatManager"].map { try ProjectFile("Examples/ChatManager/\($0).swift") }
        let blocks = try ProjectFile(path).codeBlocks("swift")
        #expect(blocks.count == 12)
        for block in blocks { #expect(sources.contains { $0.text.contains("\n" + block) }, "\(block)") }
        #expect(sources.map { $0.lines.count - 1 }.reduce(0, +) <= 220)
    }

    @Test(
        "the code of the guide for users of other libraries is compiled",
        arguments: ["Documentation/Migration.md", "Documentation/Migration.zh-CN.md"])
    func migration(path: String) throws {
        let compiled = try ["Migration", "MigrationOfPrograms"].map {
            try ProjectFile("Tests/DocumentationTests/\($0).swift").text
        }.joined()
        let rows = try ProjectFile(path).lines.filter { $0.hasPrefix("| ") && $0.contains(" | `") }
        #expect(rows.count > 100)
        for row in rows {
            let own = try #require(row.split(separator: " | ", maxSplits: 1).last)
            let code = own.matches(of: /`([^`]+)`/).map(\.output.1)
            #expect(!code.isEmpty, "\(row)")
            for piece in code { #expect(compiled.contains(piece), "\(piece)") }
        }
    }

    /// What the documents named by the acceptance list call XMPPFramework's, and their programs.
    private static let migratedNames = """
        XMPPStream() myJID hostName hostPort myPresence resendMyPresence XMPPReconnect XMPPLogging XMPPCustomBinding
        xmppStreamWillBind: GCDAsyncSocket enableBackgroundingOnSocket XMPPParser XMPPInternal XMPPURI XMPPElement XMPPModule
        addDelegate:delegateQueue: removeDelegate: xmppStreamWillConnect: socketDidConnect: xmppStreamDidStartNegotiation:
        willSecureWithSettings: xmppStreamDidSecure: xmppStreamDidConnect: xmppStreamDidAuthenticate:
        xmppStream:didNotAuthenticate: xmppStreamDidRegister: didNotRegister: alternativeResourceForConflictingResource:
        willReceiveIQ: willReceiveMessage: willReceivePresence: didFilterStanza: xmppStream:didReceiveIQ:
        xmppStream:didReceiveMessage: xmppStream:didReceivePresence: xmppStream:didReceiveError: willSendIQ: willSendMessage:
        willSendPresence: didSendIQ: didSendMessage: didSendPresence: didFailToSendIQ:error: didFailToSendMessage:error:
        didFailToSendPresence:error: xmppStreamDidChangeMyJID: xmppStreamWasToldToDisconnect:
        xmppStreamDidSendClosingStreamStanza: xmppStreamConnectDidTimeout: xmppStreamDidDisconnect:withError:
        didReceiveP2PFeatures willSendP2PFeatures xmppStream:didRegisterModule: xmppStream:willUnregisterModule:
        xmppStream:didSendCustomElement: didReceiveCustomElement: jidWithUser:domain:resource: user domain resource isGet isSet
        isResult isError requiresResponse childElement childErrorElement show status priority intShow isErrorPresence subject
        body bodyForLanguage: thread addSubject: addBody: addBody:withLanguage: addThread: isChatMessage isChatMessageWithBody
        isErrorMessage isMessageWithBody errorMessage attributeIntValueForName: connectWithTimeout:error:
        authenticateWithPassword:error: registerWithPassword:error: disconnect XMPPRoster autoFetchRoster fetchRoster
        addUser:withNickname: acceptPresenceSubscriptionRequestFrom:andAddToRoster: rejectPresenceSubscriptionRequestFrom:
        removeUser: subscribePresenceToUser: userExistsWithJID:xmppStream: autoAcceptKnownPresenceSubscriptionRequests
        didReceivePresenceSubscriptionRequest: xmppRosterDidBeginPopulating: didReceiveRosterItem: didEndPopulating:
        XMPPUserCoreDataStorageObject sectionNum displayName XMPPRoster.sqlite XMPPMessageArchiving
        XMPPMessageArchiving_Message_CoreDataObject streamBareJidStr bareJidStr timestamp outgoing NSFetchedResultsController
        performFetch activate: XMPPManager SXXMPPTools XMPPConfig.h LoginWithUserName:AndPassWord:
        RegiserWithUserName:AndPassWord: disconnectWithServer LoginSuccess LoginFaild isRegisterUser NSUserDefaults TextMessage
        ImageMessage imageName VoiceMessage voiceName AVAudioRecorder
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    @Test(
        "the guide has every name of the acceptance list once",
        arguments: ["Documentation/Migration.md", "Documentation/Migration.zh-CN.md"])
    func migratedNames(path: String) throws {
        let guide = try ProjectFile(path).text
        let own = try #require(guide.firstRange(of: #/\n## [^\n]*slixmpp/#)).lowerBound
        // The left column of the tables, and the text.
        let theirs = guide[..<own].split(separator: "\n").map { line in
            line.hasPrefix("| ") ? line.split(separator: " | ", maxSplits: 1).first ?? "" : line
        }.joined(separator: "\n")
        let named = theirs.matches(of: /`([^`\n]+)`/).map { String($0.output.1) }
        #expect(Set(Self.migratedNames).count == Self.migratedNames.count)
        for name in Self.migratedNames { #expect(named.count { $0 == name } == 1, "\(name)") }
        let counts = Dictionary(grouping: named) { $0 }.filter { $0.value.count > 1 }.keys
        // Products of this package may be named again.
        #expect(counts.allSatisfy { $0.hasPrefix("Chat") }, "\(counts)")
        #expect(theirs.contains("SRV look-up") && theirs.contains("multicast delegate"))
    }

    @Test(
        "the code of the pages about tasks is compiled",
        arguments: [
            "WritingABot", "WritingAnExtension", "TestingABot", "Deployment", "ReadingHistory", "WritingAComponent",
            "OfferingCommands",
        ])
    func tasks(name: String) throws {
        let folder = "Examples/Programs"
        let paths = try FileManager.default.subpathsOfDirectory(
            atPath: ProjectFile.root.appending(path: folder).path(percentEncoded: false))
        let sources = try paths.filter { $0.hasSuffix(".swift") }.map { try ProjectFile("\(folder)/\($0)").text }
        let page = try ProjectFile("Sources/Hongyan/Hongyan.docc/\(name).md")
        let blocks = page.codeBlocks("swift")
        #expect(!blocks.isEmpty)
        for block in blocks { #expect(sources.contains { ("\n" + $0).contains("\n" + block) }, "\(block)") }
        #expect(try ProjectFile("Sources/Hongyan/Hongyan.docc/Hongyan.md").text.contains("<doc:\(name)>"))
    }

    @Test("the script for new extensions prints the template with another name")
    func newExtension() async throws {
        let script = try Program("Scripts/new-extension", ["Weather"])
        #expect(await script.end() == 0, "\(script.output)")
        #expect(script.output.contains("public final class Weather: SessionExtension {"))
        #expect(script.output.contains("\"urn:example:weather\"") && !script.output.contains("Example"))
        #expect(script.output.split(separator: "\n").count <= 60)
        let wrong = try Program("Scripts/new-extension", ["weather; rm"])
        #expect(await wrong.end() == 2)
    }

    @Test("an example is short", arguments: ["EchoBot", "Gateway", "RosterDump", "SendMessage"])
    func length(name: String) throws {
        #expect(try ProjectFile("Examples/\(name)/main.swift").lines.count - 1 < Self.longestExample)
    }

    @Test("the two commands come before the code", arguments: ["README.md", "README.zh-CN.md"])
    func commands(path: String) throws {
        let text = try ProjectFile(path).text
        let code = try #require(text.range(of: "```swift")).lowerBound
        for command in ["Scripts/run", "Scripts/test"] {
            #expect(try #require(text.range(of: command)).lowerBound < code)
        }
    }

    @Test("every link to a file has a target")
    func links() throws {
        for document in try ProjectFile.documents() {
            for link in document.linkedFiles {
                #expect(document.exists(link), "\(document.path) links to \(link), which does not exist.")
            }
        }
    }

    @Test("both languages have the same sections and tables")
    func languages() throws {
        func shape(_ path: String) throws -> [String] {
            try ProjectFile(path).lines.compactMap { line in
                if line.hasPrefix("#") { return String(line.prefix { $0 == "#" }) }
                return line.hasPrefix("|") ? "|" : nil
            }
        }
        let documents = ["CommandLine", "Migration", "Automation", "Tutorial"].map { "Documentation/\($0)" }
        for name in ["README"] + documents {
            #expect(try shape("\(name).md") == shape("\(name).zh-CN.md"), "\(name)")
        }
    }
}
