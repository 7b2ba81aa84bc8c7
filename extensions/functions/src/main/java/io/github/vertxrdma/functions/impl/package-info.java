/**
 * Clients, servers and workers. Classes of a client are confined to its event loop, those of a server to its context, those of a worker to
 * its event loop, unless they say otherwise.
 */
package io.github.vertxrdma.functions.impl;
