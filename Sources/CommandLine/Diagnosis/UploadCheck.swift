internal import Automation
internal import ChatModel
internal import FileSharing
internal import JSONRPC
internal import TerminalApp
internal import TransportLayer
internal import XMPPAddress
internal import XMPPClient

/// Whether the server accepts files (XEP-0363), and with `--upload` whether an uploaded file can be downloaded.
struct UploadCheck: DiagnosisCheck {
    /// The result of an upload and download of a few bytes.
    enum Trial: Sendable, Equatable {
        case passed(put: Duration, get: Duration)
        case putFailed(Phrase)
        case getFailed(Phrase)
        /// The downloaded bytes differ.
        case altered
    }

    var address: JID?
    /// In bytes.
    var maximumSize: UInt64?
    var failure: Phrase?
    var trial: Trial?
    var duration: Duration?

    var step: DiagnosisStep { .upload }

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
        if let failure { return [.init(failure, .warning)] }
        guard address != nil else {
            return [.init(Phrase("Pictures and voice messages are sent inside messages and must be small."), .warning)]
        }
        switch trial {
        case .passed(let put, let get):
            return [.init(Phrase("tested: uploaded in %@, downloaded in %@", put.text, get.text), .passed)]
        case nil: return [.init(Phrase("not tested; --upload uploads a small file and downloads it again"))]
        default: return []
        }
    }

    var problem: DiagnosisProblem? {
        let advice = Phrase(
            "Ask the operators of the server: its upload service cannot be reached at the announced address.")
        switch trial {
        case .putFailed(let words):
            return DiagnosisProblem(
                "upload-failed", Phrase("The upload failed. %@", words), advice: advice, .failed)
        case .getFailed(let words):
            return DiagnosisProblem(
                "download-failed", Phrase("The file was uploaded, but cannot be downloaded. %@", words), advice: advice,
                .failed)
        case .altered:
            return DiagnosisProblem(
                "upload-altered", Phrase("The downloaded file differs from the uploaded one."), advice: advice, .failed)
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

    static func run(in session: Session, _ settings: DiagnosisSettings) async -> UploadCheck {
        let clock = ContinuousClock()
        let start = clock.now
        var check = UploadCheck()
        guard let sharing = session[FileSharing.self] else { return check }
        do throws(FileSharingError) {
            let service = try await sharing.service()
            check.address = service?.address
            check.maximumSize = service?.maximumSize
        } catch {
            check.failure = .wording { Wording.failure(error) }
        }
        if settings.triesUpload, check.address != nil { check.trial = await attempt(sharing, settings) }
        check.duration = clock.now - start
        return check
    }

    private static func attempt(_ sharing: FileSharing, _ settings: DiagnosisSettings) async -> Trial {
        let clock = ContinuousClock()
        let content = Array("hongyan doctor \(UInt64.random(in: 0...UInt64.max))\n".utf8)
        let file = OutgoingFile(
            kind: .file, name: "hongyan-doctor.txt", mediaType: "text/plain", content: content)
        var start = clock.now
        let url: String
        do throws(FileSharingError) {
            url = try await sharing.upload(file)
        } catch {
            return .putFailed(.wording { Wording.failure(error) })
        }
        let put = clock.now - start
        start = clock.now
        do throws(TransportError) {
            let http = HTTPClient(configuration: .init(trust: settings.trust))
            let answer = try await http.download(url, limit: content.count)
            return answer.body == content ? .passed(put: put, get: clock.now - start) : .altered
        } catch {
            return error.code == .tooLarge ? .altered : .getFailed(.wording { Wording.failure(error) })
        }
    }
}

/// Whether the account has a message archive for all its devices (XEP-0313).
struct ArchiveCheck: DiagnosisCheck {
    var isOffered: Bool
    /// Whether it supports queries for messages before or after a known one.
    var isExtended: Bool

    /// - Parameter features: the features of the account.
    init(accountFeatures features: Set<String>) {
        isOffered = features.contains("urn:xmpp:mam:2")
        isExtended = features.contains("urn:xmpp:mam:2#extended")
    }

    var step: DiagnosisStep { .archive }
    var duration: Duration? { nil }
    var outcome: DiagnosisOutcome { isOffered ? .passed : .warning }

    var summary: Phrase {
        isOffered
            ? Phrase("messages are archived for all devices (urn:xmpp:mam:2)")
            : Phrase("no archive: messages that arrive while all devices are offline may reach only one of them")
    }

    var facts: [(String, JSONValue)] { [("offered", .bool(isOffered)), ("extended", .bool(isExtended))] }
}
