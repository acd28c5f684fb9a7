// The types that a test of a bot needs besides the modules of the bot: addresses, stanzas, configurations and errors.
@_exported public import ServerSide
@_exported public import TransportLayer
@_exported public import XMLStreaming
@_exported public import XMPPAddress
@_exported public import XMPPClient
@_exported public import XMPPStanzas
@_exported public import XMPPStream
