// The umbrella: `import Hongyan` includes every module whose types a client, a bot or a component uses. Each can also be imported
// alone. Left out is Cryptography, whose types stand in no interface above it.
@_exported public import AccountRegistration
@_exported public import AdHocCommands
@_exported public import Blocking
@_exported public import ClientState
@_exported public import DataForms
@_exported public import DirectTransfer
@_exported public import EntityInformation
@_exported public import FileSharing
@_exported public import GroupChat
@_exported public import MessageFeatures
@_exported public import MessageHistory
@_exported public import MessagePayloads
@_exported public import MessageSemantics
@_exported public import Profiles
@_exported public import PublishSubscribe
@_exported public import Roster
@_exported public import SASLMechanisms
@_exported public import ServiceDiscovery
@_exported public import TransportLayer
@_exported public import Waiting
@_exported public import XMLStreaming
@_exported public import XMPPAddress
@_exported public import XMPPClient
@_exported public import XMPPStanzas
@_exported public import XMPPStream
