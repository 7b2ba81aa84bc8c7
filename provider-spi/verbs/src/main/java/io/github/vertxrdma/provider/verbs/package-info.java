/**
 * The verbs provider: reliable connected queue pairs on InfiniBand, RoCE and iWARP. {@link
 * io.github.vertxrdma.provider.verbs.VerbsProvider} says its settings, {@link io.github.vertxrdma.provider.verbs.QueuePairExchange} how to
 * connect without the connection manager.
 */
package io.github.vertxrdma.provider.verbs;
