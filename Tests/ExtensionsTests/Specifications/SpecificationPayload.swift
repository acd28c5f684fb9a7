import AccountRegistration
import AdHocCommands
import Blocking
import ClientState
import DataForms
import DirectTransfer
import EntityInformation
import FileSharing
import GroupChat
import MessagePayloads
import Profiles
import PublishSubscribe
import Roster
import ServiceDiscovery
import XMLStreaming
import XMPPClient
import XMPPStanzas

@testable import MessageHistory

/// A type that the extension modules read from the wire.
struct SpecificationPayload: Sendable {
    /// With the module, such as `AdHocCommands.CommandElement`.
    let name: String
    /// Reads an element and returns what the value is written as; `nil` for an answer, which programs only read.
    let rewrite: @Sendable (XMLElement) throws(XMLDecodingError) -> XMLElement?

    private init<P: XMLPayload>(_ type: P.Type) {
        name = String(reflecting: type)
        rewrite = { element throws(XMLDecodingError) in
            try element.requireName(P.name)
            return XMLElement(try P(from: element))
        }
    }

    private init<R: IQResponse>(answer type: R.Type) {
        name = String(reflecting: type)
        rewrite = { element throws(XMLDecodingError) in
            _ = try R(payload: element)
            return nil
        }
    }

    /// An enumeration of empty elements.
    private init<E: RawRepresentable<String> & XMLEncodable>(_ type: E.Type, in namespace: String) {
        name = String(reflecting: type)
        rewrite = { element throws(XMLDecodingError) in
            guard element.namespace == namespace, let value = E(rawValue: element.localName) else {
                throw XMLDecodingError(element.name, .unexpectedElement)
            }
            return XMLElement(value)
        }
    }

    static let all: [String: SpecificationPayload] = {
        var payloads = written.map { SpecificationPayload($0) }
        payloads += answers.map { SpecificationPayload(answer: $0) }
        payloads.append(SpecificationPayload(ChatState.self, in: ChatState.namespace))
        payloads.append(SpecificationPayload(ProcessingHint.self, in: ProcessingHint.namespace))
        return Dictionary(uniqueKeysWithValues: payloads.map { ($0.name, $0) })
    }()

    private static let written: [any XMLPayload.Type] = [
        // AccountRegistration
        BitsOfBinary.self, Preauthentication.self, RegistrationQuery.self, RegistrationRequest.self,
        RegistrationSubmission.self,
        // AdHocCommands
        CommandElement.self,
        // Blocking
        AbuseReport.self, BlockList.self, BlockListRequest.self, BlockRequest.self, BlockedItem.self,
        UnblockRequest.self,
        // ClientState
        PushActivation.self, PushDeactivation.self, PushNotification.self,
        // DataForms
        DataForm.self, DataFormField.self, DataFormMedia.self, DataFormPage.self, DataFormValidation.self,
        // DirectTransfer
        InBandBlock.self, InBandClosing.self, InBandOpening.self, InBandTransport.self, JingleContent.self,
        JingleElement.self, ProxyActivation.self, ProxyRequest.self, SOCKS5Transport.self,
        // EntityInformation
        EntityTime.self, EntityTimeRequest.self, IdleTime.self, LastActivity.self, LastActivityRequest.self, Ping.self,
        SoftwareVersion.self, SoftwareVersionRequest.self,
        // FileSharing
        UploadSlot.self, UploadSlotRequest.self,
        // GroupChat
        Bookmark.self, ChannelSearch.self, DirectInvitation.self, EarlierModerationRequest.self, LegacyBookmarks.self,
        MentionPermissionsChange.self, MentionPermissionsRequest.self, ModerationRequest.self,
        NotificationSettings.self, PrivateXMLRequest.self, RoomAdministration.self, RoomConfigurationRequest.self,
        RoomEntrance.self, RoomHats.self, RoomListChange.self, RoomListRequest.self, RoomOwnerRequest.self,
        RoomUser.self,
        // MessageHistory
        ArchiveAnswer.self, ArchiveFormRequest.self, ArchiveFormRequest.Response.self, ArchiveMetadata.self,
        ArchiveMetadataRequest.self, ArchivePreferences.self, ArchivePreferencesRequest.self, ArchiveQuery.self,
        ArchiveResult.self, CarbonExclusion.self, DisplayedPosition.self, EnableCarbons.self, ForwardedMessage.self,
        ResultSet.self, ResultSetRequest.self,
        // MessagePayloads
        DelayedDelivery.self, DeliveryReceipt.self, DeliveryReceiptRequest.self, DisplayedMarker.self,
        DisplayedMarkerRequest.self, EarlierModeration.self, EarlierTombstone.self, EncryptedSource.self,
        EncryptionHint.self, EphemeralTimer.self, ExplicitMention.self, FallbackIndication.self, FileHash.self,
        FileMetadata.self, LinkDescription.self, MessageCorrection.self, MessageReactions.self, MessageReference.self,
        MessageReply.self, MessageRetraction.self, OccupantIdentifier.self, OriginIdentifier.self, OutOfBandData.self,
        RetractedMessage.self, SharedFile.self, StanzaIdentifier.self, Sticker.self, StickerPack.self,
        StylingDisabled.self, Thumbnail.self,
        // Profiles
        AccountMove.self, AvatarData.self, AvatarMetadata.self, AvatarUpdate.self, DirectorySearch.self,
        DirectorySearchRequest.self, DirectorySearchSubmission.self, LegacyVCard.self, LegacyVCardChange.self,
        LegacyVCardRequest.self, ProfileNickname.self, UserActivity.self, UserLocation.self, UserMood.self,
        UserTune.self, VCard.self, VCardRequest.self,
        // PublishSubscribe
        AffiliationsRequest.self, ItemsPage.self, ItemsRequest.self, NodeConfigurationChange.self,
        NodeConfigurationRequest.self, NodeCreation.self, NodeMembersChange.self, NodeMembersRequest.self,
        NodePurge.self, NodeRemoval.self, NodeSubscribersChange.self, NodeSubscribersRequest.self, PublishRequest.self,
        PublishSubscribeEvent.self, RetractRequest.self, SubscribeRequest.self, SubscriptionOptionsChange.self,
        SubscriptionOptionsRequest.self, SubscriptionsRequest.self, UnsubscribeRequest.self,
        // Roster
        PortableAccounts.self, RosterChange.self, RosterItem.self, RosterQuery.self, RosterRequest.self,
        // ServiceDiscovery
        CapabilityHashes.self, DiscoveryInformation.self, DiscoveryInformationRequest.self, DiscoveryItems.self,
        DiscoveryItemsRequest.self, EntityCapabilities.self, ExternalCredentialsRequest.self,
        ExternalServicesRequest.self,
        // XMPPClient, for components
        Privileges.self,
    ]

    private static let answers: [any IQResponse.Type] = [
        AffiliationsRequest.Response.self, ChannelSearch.Response.self, DirectorySearchSubmission.Response.self,
        ExternalServicesRequest.Response.self, LegacyVCardRequest.Response.self,
        MentionPermissionsRequest.Response.self, NodeConfigurationRequest.Response.self, NodeCreation.Response.self,
        NodeMembersRequest.Response.self, NodeSubscribersRequest.Response.self, PrivateXMLRequest.Response.self,
        ProxyRequest.Response.self,
        PublishRequest.Response.self, RoomConfigurationRequest.Response.self, RosterRequest.Response.self,
        SubscribeRequest.Response.self,
        SubscriptionOptionsRequest.Response.self, SubscriptionsRequest.Response.self,
    ]
}
