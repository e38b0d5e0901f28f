-- Where ferry's tables live. Only run when the schema is not there, since creating one takes a right few services have.
create schema ferry;
