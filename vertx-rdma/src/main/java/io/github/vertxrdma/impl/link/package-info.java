/**
 * Links: encoding of frames, handshake, messages, remote operations and close. A large message is sent in segments, one in each frame, or
 * in pieces, which the receiver fetches by remote reads (rendezvous). Objects are confined to the loop of their link unless stated
 * otherwise.
 */
package io.github.vertxrdma.impl.link;
