/**
 * Links: frames, handshake, messages, remote operations and close. A large message is sent in segments, one per frame, or in pieces that
 * the receiver reads remotely (rendezvous). Objects are confined to their link's event loop unless stated otherwise.
 */
package io.github.vertxrdma.impl.link;
