package io.github.vertxrdma.provider.contract.parsers;

/**
 * A parser of bytes from other processes.
 *
 * @param name the name of the parser and of its corpus
 * @param refusal the one exception by which it refuses bytes
 * @param reading reads all content of the bytes
 * @param cost the factor by which an input may take more time and memory than for other parsers; the number of inputs is divided by it
 */
public record Parser(String name, Class<? extends Exception> refusal, Reading reading, int cost) {
  public Parser(String name, Class<? extends Exception> refusal, Reading reading) {
    this(name, refusal, reading, 1);
  }

  /** Reads bytes, or throws an exception. */
  @FunctionalInterface
  public interface Reading {
    void read(byte[] bytes) throws Exception;
  }
}
