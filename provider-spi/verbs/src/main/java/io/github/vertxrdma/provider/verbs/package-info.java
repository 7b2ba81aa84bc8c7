/**
 * The verbs provider: reliable connected queue pairs on InfiniBand, RoCE and iWARP. {@link
 * io.github.vertxrdma.provider.verbs.VerbsProvider} lists its settings.
 */
package io.github.vertxrdma.provider.verbs;
