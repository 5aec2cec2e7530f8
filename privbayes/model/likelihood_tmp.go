package model

func fitLikelihood(st *Statistics) (*Fitted, error) { return nil, noRows(st.shape.model) }
