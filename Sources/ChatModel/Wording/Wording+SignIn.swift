internal import ChatEngine
internal import Foundation
internal import Localization
internal import SASLMechanisms
public import TransportLayer
public import XMPPClient
public import XMPPStream

/// Why an account is not online, or could not sign in.
extension Wording {
    /// - Parameters:
    ///   - domain: of the server; `nil` where it is not known.
    ///   - certificate: why the certificate was not trusted, if it was checked.
    public static func failure(_ error: ClientError, domain: String?, certificate: String? = nil) -> String {
        if let failure = error.streamFailure { return Self.failure(failure, domain: domain, certificate: certificate) }
        switch error.code {
        case .timedOut:
            return sentence(
                localized("%@ did not respond in time. Check your network and try again.", server(domain)))
        case .notConnected, .connectionFailed, .sessionEnded: return localized("The connection was lost.")
        case .cancelled: return localized("It was cancelled.")
        default: return failure(error)
        }
    }

    /// The server in the middle of a sentence.
    private static func server(_ domain: String?) -> String { domain ?? localized("the server") }

    /// With a capital at its beginning, where that is not a name.
    private static func sentence(_ text: String) -> String {
        let word = localized("the server")
        return text.hasPrefix(word) ? text.prefix(1).uppercased() + text.dropFirst() : text
    }

    public static func failure(_ failure: StreamFailure, domain: String?, certificate: String? = nil) -> String {
        guard let domain else {
            switch failure.code {
            case .serverNotFound: return localized("The server was not found.")
            case .notXMPP, .serverMismatch:
                return localized("The server at that address is not an XMPP server for clients.")
            default: return sentence(Self.failure(failure, domain: server(nil), certificate: certificate))
            }
        }
        return switch failure.code {
        case .credentialsRejected:
            localized("The user name or the password is wrong. Check both; they are case-sensitive.")
        case .accountDisabled: localized("The account is disabled. Ask your provider.")
        case .credentialsExpired: localized("The password has expired. Set a new one with your provider.")
        case .authenticationUnavailable:
            localized("%@ cannot check passwords at the moment. Try again later.", domain)
        case .authenticationFailed: localized("%@ does not let you sign in. Ask your provider.", domain)
        case .furtherStepDemanded:
            localized("%@ asks for another step to sign in, which this program cannot do.", domain)
        case .serverNotAuthentic:
            localized("%@ cannot prove that it knows your account, so it may not be the real server.", domain)
        case .malformedXML:
            failure.senderName.map {
                localized(
                    "The server passed on something unreadable from %@; if this happens again, block this address or ask your provider.",
                    $0)
            }
                ?? localized("%@ sent something unreadable. If this happens again, ask your provider.", domain)
        case .authenticationMalformed, .unexpectedElement, .handledCountTooHigh:
            localized("What %@ sent cannot be understood. This is a fault of the server or of this program.", domain)
        case .certificateRejected:
            localized(
                "%@ Nothing was sent. If this surprises you, do not sign in from this network.",
                certificate ?? localized("The server's certificate was not accepted."))
        case .encryptionRefused, .encryptionFailed, .injectedBeforeEncryption:
            localized("No secure connection to %@ is possible, so the password was not sent.", domain)
        case .accountMismatch:
            localized("%@ opened a session for another account than yours. Ask your provider.", domain)
        case .settingsUnusable:
            failure.file.flatMap { file in
                UnusableFile.Problem(rawValue: file.problem).map { Self.failure(UnusableFile($0, file.path)) }
            } ?? localized("A setting of this account cannot be used.")
        case .noAcceptableMechanism where failure.saslError?.meansDowngrade == true: downgrade
        case .noAcceptableMechanism, .authenticationNotOffered:
            localized("%@ offers no secure way to sign in with a password.", domain)
        case .serverNotFound:
            localized(
                "There is no chat server %@. Check the part after the @; if it is right, ask your provider for host and port.",
                domain)
        case .serverUnreachable, .connectionLost, .closedDuringLogin:
            localized("%@ cannot be reached. Check your network and try again; a firewall may be in the way.", domain)
        case .loginTimedOut, .serverUnresponsive, .resumptionTimedOut:
            localized("%@ did not respond in time. Check your network and try again.", domain)
        case .notXMPP, .serverMismatch:
            localized("The server at that address is not the chat server of %@. Check host and port.", domain)
        case .unsupportedVersion: localized("The software of %@ is too old.", domain)
        case .resourceConflict: localized("Another program is connected in the place of this one.")
        case .bindingRefused, .sessionRefused:
            localized("%@ does not start a session at the moment. Try again in a while.", domain)
        case .streamError, .componentRefused:
            failure.category == .conflict
                ? localized("Another program is connected in the place of this one.")
                : localized("%@ ended the connection. Try again in a while.", domain)
        }
    }

    /// Why a file of the settings cannot be used.
    public static func failure(_ file: UnusableFile) -> String {
        switch file.problem {
        case .authoritiesUnreadable: localized("The certificate authorities in %@ cannot be read.", file.path)
        case .certificateUnreadable: localized("The certificate in %@ cannot be read.", file.path)
        case .keyUnreadable: localized("The private key in %@ cannot be read.", file.path)
        case .passphraseMissing: localized("The passphrase of the private key %@ is missing.", file.path)
        case .passphraseWrong: localized("The passphrase of the private key %@ is wrong.", file.path)
        case .keyMismatch: localized("The private key %@ does not belong to the certificate.", file.path)
        }
    }

    /// Why a certificate is not trusted.
    public static func failure(_ evaluation: TrustEvaluation) -> String {
        evaluation.problems.first.map { failure($0) } ?? localized("The server's certificate was not accepted.")
    }

    public static func failure(_ problem: CertificateProblem) -> String {
        switch problem {
        case .wrongName(let expected, let names):
            names.isEmpty
                ? localized("The server's certificate is not for any server, so it is not for %@.", expected)
                : localized("The server's certificate is for %@, not for %@.", names.joined(separator: ", "), expected)
        case .expired(_, let date): localized("The server's certificate expired on %@.", day(date))
        case .notYetValid(_, let date):
            localized(
                "The server's certificate is not valid before %@. Check date and time of this computer.", day(date))
        case .selfSigned: localized("The server's certificate is self-signed: no trusted authority has signed it.")
        case .unknownAuthority(let issuer):
            localized("The server's certificate was issued by an unknown authority: %@.", issuer)
        case .revoked: localized("The server's certificate was revoked by its authority.")
        case .notPinned: localized("The server's certificate is not the one that you accepted.")
        case .other(let words): localized("The server's certificate is not acceptable: %@.", words)
        }
    }

    /// A day in a certificate: `2026-11-21`.
    public static func day(_ secondsSince1970: Int64) -> String {
        Date(timeIntervalSince1970: Double(secondsSince1970)).formatted(.iso8601.year().month().day())
    }
}

extension Wording {
    /// Where a provider is, and since when.
    public static func provider(_ provider: KnownProvider) -> String {
        let locale = Locale(identifier: Localization.language)
        let countries = provider.countries.map { locale.localizedString(forRegionCode: $0) ?? $0 }
        return localized("%1$@ · since %2$@", countries.joined(separator: localized(", ")), String(provider.since))
    }
}
