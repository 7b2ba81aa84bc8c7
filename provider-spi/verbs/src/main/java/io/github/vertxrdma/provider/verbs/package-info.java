/** The verbs provider: reliable connected queue pairs on InfiniBand, RoCE and iWARP. */
package io.github.vertxrdma.provider.verbs;
