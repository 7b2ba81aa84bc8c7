/** The verbs provider: reliable connected queue pairs on InfiniBand, RoCE and iWARP. docs/verbs.adoc describes its settings. */
package io.github.vertxrdma.provider.verbs;
