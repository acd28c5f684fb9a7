internal import ChatModel
internal import FileSharing
internal import TerminalApp
internal import TransportLayer
internal import XMPPAddress
internal import XMPPClient

/// Whether the server takes files (XEP-0363), and with `--upload` whether one that was put there comes back.
struct UploadHop: DiagnosisHop {
    /// A few bytes there and back.
    enum Trial: Sendable, Equatable {
        case passed(put: Duration, get: Duration)
        case putFailed(String)
        case getFailed(String)
        /// Other bytes came back.
        case altered
    }

    var address: JID?
    /// Bytes.
    var maximumSize: UInt64?
    var failure: String?
    var trial: Trial?
    var duration: Duration?

    var place: DiagnosisPlace { .upload }

    var outcome: DiagnosisOutcome {
        if problem != nil { return .failed }
        return address == nil ? .warning : .passed
    }

    var summary: Phrase {
        guard let address else {
            return failure == nil ? Phrase("no upload service") : Phrase("the upload service was not found")
        }
        guard let maximumSize else { return .verbatim(address) }
        return Phrase("%@, files up to %@", address, Wording.size(maximumSize))
    }

    var details: [DiagnosisDetail] {
        if let failure { return [.init(.verbatim(failure), .warning)] }
        guard address != nil else {
            return [.init(Phrase("Pictures and voice travel inside messages, where they must be small."), .warning)]
        }
        switch trial {
        case .passed(let put, let get):
            return [.init(Phrase("tried: put in %@, fetched in %@", put.words, get.words), .passed)]
        case nil: return [.init(Phrase("not tried; --upload puts a few bytes there and fetches them"))]
        default: return []
        }
    }

    var problem: DiagnosisProblem? {
        let advice = Phrase("Ask the people who run the server: its upload service is not reachable as it says.")
        switch trial {
        case .putFailed(let words):
            return DiagnosisProblem(
                "upload-failed", Phrase("The file was not taken. %@", words), advice: advice, .failed)
        case .getFailed(let words):
            return DiagnosisProblem(
                "download-failed", Phrase("The file was taken, but cannot be fetched. %@", words), advice: advice,
                .failed)
        case .altered:
            return DiagnosisProblem(
                "upload-altered", Phrase("Other bytes came back than were put there."), advice: advice, .failed)
        case .passed, nil: return nil
        }
    }

    var facts: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("service", .text(address)), ("maximumSize", .count(maximumSize)), ("error", .text(failure)),
            ("tried", .bool(trial != nil)),
        ]
        if case .passed(let put, let get) = trial {
            members += [("put", .count(put.wholeMilliseconds)), ("get", .count(get.wholeMilliseconds))]
        }
        return members
    }

    static func look(in session: Session, _ settings: DiagnosisSettings) async -> UploadHop {
        let clock = ContinuousClock()
        let start = clock.now
        var hop = UploadHop()
        guard let sharing = session[FileSharing.self] else { return hop }
        do throws(FileSharingError) {
            let service = try await sharing.service()
            hop.address = service?.address
            hop.maximumSize = service?.maximumSize
        } catch {
            hop.failure = error.description
        }
        if settings.triesUpload, hop.address != nil { hop.trial = await attempt(sharing, settings) }
        hop.duration = clock.now - start
        return hop
    }

    private static func attempt(_ sharing: FileSharing, _ settings: DiagnosisSettings) async -> Trial {
        let clock = ContinuousClock()
        let content = Array("hongyan doctor \(UInt64.random(in: 0...UInt64.max))\n".utf8)
        let file = OutgoingFile(
            kind: .other, name: "hongyan-doctor.txt", mediaType: "text/plain", content: content)
        var start = clock.now
        let place: String
        do throws(FileSharingError) {
            place = try await sharing.upload(file)
        } catch {
            return .putFailed(error.description)
        }
        let put = clock.now - start
        start = clock.now
        do throws(TransportError) {
            let http = HTTPClient(configuration: .init(trust: settings.trust))
            let answer = try await http.download(place, limit: content.count)
            return answer.body == content ? .passed(put: put, get: clock.now - start) : .altered
        } catch {
            return error.code == .tooLarge ? .altered : .getFailed(error.description)
        }
    }
}

/// Whether the account keeps an archive of its messages that every device can read (XEP-0313).
struct ArchiveHop: DiagnosisHop {
    var isOffered: Bool
    /// Whether it can be asked for what comes before or after a message that is known.
    var isExtended: Bool

    /// - Parameter features: what the account announces.
    init(accountFeatures features: Set<String>) {
        isOffered = features.contains("urn:xmpp:mam:2")
        isExtended = features.contains("urn:xmpp:mam:2#extended")
    }

    var place: DiagnosisPlace { .archive }
    var duration: Duration? { nil }
    var outcome: DiagnosisOutcome { isOffered ? .passed : .warning }

    var summary: Phrase {
        isOffered
            ? Phrase("messages are kept for all devices (urn:xmpp:mam:2)")
            : Phrase("no archive: what comes while all devices are away may reach only one")
    }

    var facts: [(String, JSONValue)] { [("offered", .bool(isOffered)), ("extended", .bool(isExtended))] }
}
