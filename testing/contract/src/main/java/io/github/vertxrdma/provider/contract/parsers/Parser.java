package io.github.vertxrdma.provider.contract.parsers;

/**
 * A parser of bytes that come from elsewhere.
 *
 * @param name also of its corpus
 * @param refusal the one exception by which it refuses bytes
 * @param reading reads all that there is to read in them
 * @param cost how many times more time and memory than for others an input may take; there are as many fewer
 */
public record Parser(String name, Class<? extends Exception> refusal, Reading reading, int cost) {
  public Parser(String name, Class<? extends Exception> refusal, Reading reading) {
    this(name, refusal, reading, 1);
  }

  /** Reads bytes, or throws. */
  @FunctionalInterface
  public interface Reading {
    void read(byte[] bytes) throws Exception;
  }
}
